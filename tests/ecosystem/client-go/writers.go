package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

const retryDelay = 50 * time.Millisecond
const writeDelay = 10 * time.Millisecond

// writeLog holds the writes of one kind that the server has acknowledged.
type writeLog struct {
	mutex sync.Mutex
	// versions of each object by uid.
	versions map[string][]string
	removed  map[string]bool
	names    map[string]string
}

func newWriteLog() *writeLog {
	return &writeLog{versions: map[string][]string{}, removed: map[string]bool{}, names: map[string]string{}}
}

func (l *writeLog) wrote(object *unstructured.Unstructured) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	uid := string(object.GetUID())
	l.versions[uid] = append(l.versions[uid], object.GetResourceVersion())
	l.names[uid] = object.GetName()
}

func (l *writeLog) deleted(object *unstructured.Unstructured) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.removed[string(object.GetUID())] = true
	l.names[string(object.GetUID())] = object.GetName()
}

func (l *writeLog) acknowledged() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	count := len(l.removed)
	for _, versions := range l.versions {
		count += len(versions)
	}
	return count
}

// write runs all writers for the duration of the trial and restarts the server at even intervals.
func write(ctx context.Context, client dynamic.Interface, server *server, o options) (map[schema.GroupVersionResource]*writeLog, error) {
	writing, cancel := context.WithTimeout(ctx, o.duration)
	defer cancel()
	logs := map[schema.GroupVersionResource]*writeLog{}
	var writers sync.WaitGroup
	for _, kind := range kinds {
		log := newWriteLog()
		logs[kind] = log
		for i := range o.writers {
			w := &writer{resource: client.Resource(kind).Namespace(namespace), kind: kind, name: fmt.Sprintf("w%d", i), log: log}
			writers.Go(func() { w.run(writing) })
		}
	}
	err := restartOften(writing, server, o)
	writers.Wait()
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return logs, err
}

func restartOften(ctx context.Context, server *server, o options) error {
	if server == nil {
		return nil
	}
	interval := o.duration / time.Duration(o.kills+1)
	for range o.kills {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(interval):
		}
		if err := end(server, o.graceful); err != nil {
			return err
		}
		if err := server.start(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	return nil
}

func end(server *server, graceful bool) error {
	if graceful {
		return server.shutDown()
	}
	server.kill()
	return nil
}

// writer creates, updates and deletes a few objects that no other writer uses.
type writer struct {
	resource dynamic.ResourceInterface
	kind     schema.GroupVersionResource
	name     string
	log      *writeLog
	count    int
}

func (w *writer) run(ctx context.Context) {
	for ctx.Err() == nil {
		w.count++
		if err := w.step(ctx, fmt.Sprintf("%s-%d", w.name, rand.IntN(4))); err != nil {
			time.Sleep(retryDelay)
		}
		time.Sleep(writeDelay)
	}
}

// step makes one write. A failed request may have been committed: the next step reads first.
func (w *writer) step(ctx context.Context, name string) error {
	found, err := w.resource.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		created, err := w.resource.Create(ctx, w.object(name), metav1.CreateOptions{})
		if err == nil {
			w.log.wrote(created)
		}
		return err
	}
	if err != nil {
		return err
	}
	if rand.IntN(8) == 0 {
		uid := found.GetUID()
		err := w.resource.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
		if err == nil {
			w.log.deleted(found)
		}
		return err
	}
	found.SetAnnotations(map[string]string{"count": strconv.Itoa(w.count)})
	updated, err := w.resource.Update(ctx, found, metav1.UpdateOptions{})
	if err == nil {
		w.log.wrote(updated)
	}
	return err
}

func (w *writer) object(name string) *unstructured.Unstructured {
	switch w.kind.Resource {
	case "configmaps":
		return object("v1", "ConfigMap", name, nil)
	case "secrets":
		return object("v1", "Secret", name, nil)
	case "leases":
		return object("coordination.k8s.io/v1", "Lease", name, map[string]any{})
	case "deployments":
		return object("apps/v1", "Deployment", name, deploymentSpec(name))
	default:
		return object(w.kind.GroupVersion().String(), "Widget", name, map[string]any{"size": int64(1)})
	}
}

func deploymentSpec(name string) map[string]any {
	labels := map[string]any{"app": name}
	return map[string]any{
		"replicas": int64(0),
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "example.com/c"}}},
		},
	}
}

func object(apiVersion, kind, name string, spec map[string]any) *unstructured.Unstructured {
	content := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}}
	if spec != nil {
		content["spec"] = spec
	}
	return &unstructured.Unstructured{Object: content}
}
