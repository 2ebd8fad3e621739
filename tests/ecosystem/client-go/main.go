// Trials of client-go against an API server: informers that follow a server which is killed or shut down under writes, and leader
// election that releases its lease on cancellation.
//
// Usage:
//
//	go run . [flags] [trial...] -- SERVER...
//
// The trials are `informers` and `leader-election`, both if none is named. SERVER is a command that starts a server; the
// program adds `--secure-port` and `--data-dir` and reads `admin.kubeconfig` in that data dir:
//
//	go run . -- node ../../../packages/tsukube/dist/tsukube.cjs serve
//
// Long run:
//
//	go run . -duration 5m -kills 20 -writers 8 -rounds 200 -- node ../../../packages/tsukube/dist/tsukube.cjs serve
//
// With `-kubeconfig FILE` and no SERVER, a running server is used and nothing is killed; use it to see what
// kube-apiserver does. Each trial prints one line, `ok NAME: DETAIL` or `not ok NAME: REASON`. The exit code is 1 if one failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

type options struct {
	duration    time.Duration
	kills       int
	graceful    bool
	writers     int
	rounds      int
	maxFailover time.Duration
	kubeconfig  string
	dataDir     string
	verbose     bool
}

type trial func(ctx context.Context, config *rest.Config, server *server, o options) (string, error)

var trials = []struct {
	name string
	run  trial
}{
	{"informers", informers},
	{"leader-election", leaderElection},
}

func main() {
	var o options
	flag.DurationVar(&o.duration, "duration", 10*time.Second, "how long the informer trial writes")
	flag.IntVar(&o.kills, "kills", 2, "how often the server is restarted meanwhile")
	flag.BoolVar(&o.graceful, "graceful", false, "shut the server down with SIGTERM instead of killing it")
	flag.IntVar(&o.writers, "writers", 2, "writers for each kind")
	flag.IntVar(&o.rounds, "rounds", 10, "how often the leader is cancelled")
	flag.DurationVar(&o.maxFailover, "max-failover", 3*time.Second, "how long another candidate may take to lead")
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "use this server instead of starting one")
	flag.StringVar(&o.dataDir, "data-dir", "", "data dir of the server; a temporary one if empty")
	flag.BoolVar(&o.verbose, "v", false, "print the log of client-go")
	flag.Parse()
	names, command := split(flag.Args())
	if !o.verbose {
		klog.SetLogger(logr.Discard())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if !runAll(ctx, names, command, o) {
		os.Exit(1)
	}
}

func runAll(ctx context.Context, names, command []string, o options) bool {
	config, server, err := connect(ctx, command, o)
	if err != nil {
		log.Fatal(err)
	}
	defer server.stop()
	passed := true
	for _, t := range trials {
		if len(names) > 0 && !slices.Contains(names, t.name) {
			continue
		}
		detail, err := t.run(ctx, config, server, o)
		if err != nil {
			passed = false
			fmt.Printf("not ok %s: %v\n", t.name, err)
			continue
		}
		fmt.Printf("ok %s: %s\n", t.name, detail)
	}
	return passed
}

// connect returns a configuration without client-side rate limits. The server is nil if none was started.
func connect(ctx context.Context, command []string, o options) (*rest.Config, *server, error) {
	kubeconfig := o.kubeconfig
	var started *server
	if kubeconfig == "" {
		var err error
		if started, err = newServer(command, o.dataDir); err != nil {
			return nil, nil, err
		}
		if err := started.start(ctx); err != nil {
			return nil, nil, err
		}
		kubeconfig = started.kubeconfig()
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	config.QPS = -1
	return config, started, nil
}

// split separates the names of trials from the command of the server.
func split(args []string) (names, command []string) {
	at := slices.Index(args, "--")
	if at < 0 {
		if slices.ContainsFunc(trials, func(t struct {
			name string
			run  trial
		}) bool {
			return len(args) > 0 && args[0] == t.name
		}) {
			return args, nil
		}
		return nil, args
	}
	return args[:at], args[at+1:]
}
