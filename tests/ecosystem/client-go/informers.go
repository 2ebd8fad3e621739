package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const namespace = "client-go-trial"
const catchUpLimit = 30 * time.Second

var widgets = schema.GroupVersionResource{Group: "client-go.example.com", Version: "v1", Resource: "widgets"}

// kinds that are written and watched. Widgets are custom resources, read as JSON; the others are read as protobuf.
var kinds = []schema.GroupVersionResource{
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "secrets"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
	widgets,
}

// informers watches all kinds while they are written and the server is killed, or shut down: watches then resume without
// another list. Every acknowledged write must reach the handlers once, versions of an object must rise, and at the end each cache must equal a list.
func informers(ctx context.Context, config *rest.Config, server *server, o options) (string, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return "", err
	}
	if err := prepare(ctx, client); err != nil {
		return "", err
	}
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	var lists initialLists
	followed, err := follow(following, lists.counted(config))
	if err != nil {
		return "", err
	}
	written, err := write(ctx, client, server, o)
	if err != nil {
		return "", err
	}
	events := 0
	for _, each := range followed {
		if err := each.equalsList(ctx, client); err != nil {
			return "", err
		}
		if err := each.missed(written[each.kind]); err != nil && lists.count.Load() > int64(len(kinds)) {
			return "", fmt.Errorf("an informer listed again: %w", err)
		} else if err != nil {
			return "", err
		}
		events += each.events()
	}
	total := 0
	for _, log := range written {
		total += log.acknowledged()
	}
	if o.graceful && lists.count.Load() > int64(len(kinds)) {
		return "", fmt.Errorf("informers listed %d times for %d kinds: a shutdown broke watches", lists.count.Load(), len(kinds))
	}
	return fmt.Sprintf("%d kinds, %d acknowledged writes, %d events, %d restarts", len(kinds), total, events, o.kills), nil
}

func prepare(ctx context.Context, client dynamic.Interface) error {
	namespaces := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	crds := client.Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	})
	ns := object("v1", "Namespace", namespace, nil)
	if _, err := namespaces.Create(ctx, ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if _, err := crds.Create(ctx, widgetDefinition(), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	for deadline := time.Now().Add(catchUpLimit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, err := client.Resource(widgets).Namespace(namespace).List(ctx, metav1.ListOptions{}); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is not served", widgets.GroupResource())
}

func widgetDefinition() *unstructured.Unstructured {
	return object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets."+widgets.Group, map[string]any{
		"group": widgets.Group,
		"scope": "Namespaced",
		"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
		"versions": []any{map[string]any{
			"name": "v1", "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "x-kubernetes-preserve-unknown-fields": true,
			}},
		}},
	})
}

// followed is the informer of one kind and the events of its handlers.
type followed struct {
	kind     schema.GroupVersionResource
	informer cache.SharedIndexInformer
	mutex    sync.Mutex
	// versions of each object by uid, in the order in which they came.
	versions map[string][]string
	removed  map[string]int
	problems []string
}

// initialLists counts the watches that begin with a list. An informer needs one, and another one if its connection broke in a
// way that client-go does not resume from; events in between are then missing.
type initialLists struct{ count atomic.Int64 }

func (l *initialLists) counted(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if request.URL.Query().Get("sendInitialEvents") == "true" {
				l.count.Add(1)
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func follow(ctx context.Context, config *rest.Config) ([]*followed, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = runtime.ContentTypeProtobuf
	clientset, err := kubernetes.NewForConfig(protobuf)
	if err != nil {
		return nil, err
	}
	typed := kubeinformers.NewSharedInformerFactoryWithOptions(clientset, 0, kubeinformers.WithNamespace(namespace))
	untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	var all []*followed
	for _, kind := range kinds {
		each := &followed{kind: kind, versions: map[string][]string{}, removed: map[string]int{}}
		if kind == widgets {
			each.informer = untyped.ForResource(kind).Informer()
		} else {
			generic, err := typed.ForResource(kind)
			if err != nil {
				return nil, err
			}
			each.informer = generic.Informer()
		}
		if _, err := each.informer.AddEventHandler(each); err != nil {
			return nil, err
		}
		all = append(all, each)
	}
	typed.Start(ctx.Done())
	untyped.Start(ctx.Done())
	for _, each := range all {
		if !cache.WaitForCacheSync(ctx.Done(), each.informer.HasSynced) {
			return nil, fmt.Errorf("the cache of %s was not filled", each.kind.Resource)
		}
	}
	return all, nil
}

func (f *followed) OnAdd(added any, _ bool) { f.see(added.(metav1.Object)) }
func (f *followed) OnUpdate(_, updated any) { f.see(updated.(metav1.Object)) }
func (f *followed) OnDelete(deleted any) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if unknown, ok := deleted.(cache.DeletedFinalStateUnknown); ok {
		f.problems = append(f.problems, "the removal of "+unknown.Key+" was missed")
		deleted = unknown.Obj
	}
	f.removed[string(deleted.(metav1.Object).GetUID())]++
}

func (f *followed) see(object metav1.Object) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	uid := string(object.GetUID())
	seen := f.versions[uid]
	version := object.GetResourceVersion()
	if len(seen) > 0 && !isNewer(version, seen[len(seen)-1]) {
		f.problems = append(f.problems, fmt.Sprintf("%s came as %s after %s", object.GetName(), version, seen[len(seen)-1]))
	}
	if f.removed[uid] > 0 {
		f.problems = append(f.problems, object.GetName()+" came after its removal")
	}
	f.versions[uid] = append(seen, version)
}

func (f *followed) events() int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	count := len(f.removed)
	for _, versions := range f.versions {
		count += len(versions)
	}
	return count
}

// isNewer compares resource versions, which are numbers without leading zeros.
func isNewer(version, than string) bool {
	return len(version) > len(than) || (len(version) == len(than) && version > than)
}

// equalsList waits until the cache equals a list.
func (f *followed) equalsList(ctx context.Context, client dynamic.Interface) error {
	var difference string
	for deadline := time.Now().Add(catchUpLimit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		list, err := client.Resource(f.kind).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if difference = f.difference(list.Items); difference == "" {
			return nil
		}
	}
	return fmt.Errorf("the cache of %s differs from a list: %s", f.kind.Resource, difference)
}

func (f *followed) difference(listed []unstructured.Unstructured) string {
	wanted := map[string]string{}
	for _, item := range listed {
		wanted[item.GetName()] = item.GetResourceVersion()
	}
	held := f.informer.GetStore().List()
	for _, each := range held {
		object := each.(metav1.Object)
		if wanted[object.GetName()] != object.GetResourceVersion() {
			return fmt.Sprintf("%s is %s, not %q", object.GetName(), object.GetResourceVersion(), wanted[object.GetName()])
		}
	}
	if len(held) != len(wanted) {
		return fmt.Sprintf("%d objects, not %d", len(held), len(wanted))
	}
	return ""
}

// missed compares the events of the handlers with the acknowledged writes.
func (f *followed) missed(log *writeLog) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	problems := f.problems
	for uid, versions := range log.versions {
		seen := map[string]bool{}
		for _, version := range f.versions[uid] {
			seen[version] = true
		}
		for _, version := range versions {
			if !seen[version] {
				problems = append(problems, fmt.Sprintf("version %s of %s was not seen", version, log.names[uid]))
			}
		}
	}
	for uid := range log.removed {
		if f.removed[uid] != 1 {
			problems = append(problems, fmt.Sprintf("the removal of %s was seen %d times", log.names[uid], f.removed[uid]))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	shown := problems[:min(len(problems), 10)]
	return fmt.Errorf("%s: %d problems: %s", f.kind.Resource, len(problems), strings.Join(shown, "; "))
}
