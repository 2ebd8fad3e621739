package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	leaseName     = "client-go-trial"
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 500 * time.Millisecond
)

// leaderElection cancels the leader, in most rounds while it renews its lease, and measures how long another candidate takes
// to lead. A leader that fails to release its lease keeps the other one waiting for the whole duration of the lease.
func leaderElection(ctx context.Context, config *rest.Config, _ *server, o options) (string, error) {
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	_ = clientset.CoordinationV1().Leases(metav1.NamespaceDefault).Delete(ctx, leaseName, metav1.DeleteOptions{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	leader := newCandidate(ctx, config, "candidate-0")
	if err := leader.leads(renewDeadline); err != nil {
		return "", err
	}
	var failovers []time.Duration
	for round := range o.rounds {
		next := newCandidate(ctx, config, fmt.Sprintf("candidate-%d", round+1))
		next.waits()
		leader.cancelWhileRenewing(round)
		begun := time.Now()
		if err := next.leads(leaseDuration + 2*renewDeadline); err != nil {
			return "", err
		}
		failovers = append(failovers, time.Since(begun))
		leader = next
	}
	longest := slices.Max(failovers)
	if longest > o.maxFailover {
		return "", fmt.Errorf("a failover took %s: %s", longest.Round(time.Millisecond), late(failovers, o.maxFailover))
	}
	return fmt.Sprintf("%d releases, longest failover %s", len(failovers), longest.Round(time.Millisecond)), nil
}

func late(failovers []time.Duration, limit time.Duration) string {
	count := 0
	for _, each := range failovers {
		if each > limit {
			count++
		}
	}
	return fmt.Sprintf("%d of %d took more than %s", count, len(failovers), limit)
}

// candidate takes part in the election until it is cancelled. It has its own connection.
type candidate struct {
	cancel  context.CancelFunc
	leading chan struct{}
	failed  chan error
	asked   chan struct{}
	// onRenewal is called when a write of the lease is sent.
	onRenewal atomic.Pointer[func()]
}

func newCandidate(ctx context.Context, config *rest.Config, identity string) *candidate {
	running, cancel := context.WithCancel(ctx)
	c := &candidate{cancel: cancel, leading: make(chan struct{}), failed: make(chan error, 1), asked: make(chan struct{}, 1)}
	own := rest.CopyConfig(config)
	own.Wrap(func(next http.RoundTripper) http.RoundTripper { return &observer{next, c} })
	elector, err := c.elector(own, identity)
	if err != nil {
		c.failed <- err
		return c
	}
	go elector.Run(running)
	return c
}

func (c *candidate) elector(config *rest.Config, identity string) (*leaderelection.LeaderElector, error) {
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: leaseName},
			Client:     clientset.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   leaseDuration,
		RenewDeadline:   renewDeadline,
		RetryPeriod:     retryPeriod,
		ReleaseOnCancel: true,
		Name:            leaseName,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(c.leading) },
			OnStoppedLeading: func() {},
		},
	})
}

func (c *candidate) leads(limit time.Duration) error {
	select {
	case <-c.leading:
		return nil
	case err := <-c.failed:
		return err
	case <-time.After(limit):
		return fmt.Errorf("no candidate led within %s", limit)
	}
}

// waits returns once the candidate has read the lease of the leader.
func (c *candidate) waits() {
	select {
	case <-c.asked:
	case <-time.After(renewDeadline):
	}
}

// cancelWhileRenewing cancels the candidate shortly after its next write of the lease has left, and in every fourth round
// at any time.
func (c *candidate) cancelWhileRenewing(round int) {
	if round%4 == 3 {
		time.Sleep(rand.N(retryPeriod))
		c.cancel()
		return
	}
	renewing := make(chan struct{}, 1)
	notify := func() {
		select {
		case renewing <- struct{}{}:
		default:
		}
	}
	c.onRenewal.Store(&notify)
	select {
	case <-renewing:
	case <-time.After(renewDeadline):
	}
	time.Sleep(rand.N(3 * time.Millisecond))
	c.cancel()
}

// observer notifies a candidate of its own requests.
type observer struct {
	next http.RoundTripper
	c    *candidate
}

func (o *observer) RoundTrip(request *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(request.URL.Path, "/leases/"+leaseName) {
		return o.next.RoundTrip(request)
	}
	if request.Method == http.MethodGet {
		select {
		case o.c.asked <- struct{}{}:
		default:
		}
	} else if notify := o.c.onRenewal.Load(); notify != nil {
		go (*notify)()
	}
	return o.next.RoundTrip(request)
}
