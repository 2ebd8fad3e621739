// Package envtest checks that envtest of one version of controller-runtime works with the programs in KUBEBUILDER_ASSETS. It uses
// only what all versions since 0.12 have.
package envtest

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var (
	environment *envtest.Environment
	config      *rest.Config
)

func definition() *apiextensionsv1.CustomResourceDefinition {
	preserve := true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &preserve,
				}},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}

func clientFor(t *testing.T, config *rest.Config) client.WithWatch {
	t.Helper()
	c, err := client.NewWithWatch(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
}

// The tests run in the order of the file and share one environment.
func TestStart(t *testing.T) {
	environment = &envtest.Environment{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition()}}
	begun := time.Now()
	var err error
	config, err = environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %v", time.Since(begun).Round(time.Millisecond))
}

func TestObjects(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := clientFor(t, config)
	if err := c.Create(ctx, configMap("watched")); err != nil {
		t.Fatal(err)
	}
	// A watch without a resourceVersion starts with the existing objects. One that ends early, on a starting server, is repeated.
	for ctx.Err() == nil {
		watch, err := c.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace("default"))
		if err != nil {
			t.Fatal(err)
		}
		for event := range watch.ResultChan() {
			if object, ok := event.Object.(*corev1.ConfigMap); ok && object.Name == "watched" {
				watch.Stop()
				return
			}
		}
	}
	t.Fatal("no watch has shown the object")
}

func TestCustomResources(t *testing.T) {
	ctx := context.Background()
	c := clientFor(t, config)
	widget := &unstructured.Unstructured{Object: map[string]interface{}{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]interface{}{"name": "one", "namespace": "default"},
		"spec":     map[string]interface{}{"size": int64(1)},
	}}
	if err := c.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(widget.Object, "done", "status", "phase"); err != nil {
		t.Fatal(err)
	}
	if err := c.Status().Update(ctx, widget); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(widget), widget); err != nil {
		t.Fatal(err)
	}
	if phase, _, _ := unstructured.NestedString(widget.Object, "status", "phase"); phase != "done" {
		t.Fatalf("the phase is %q", phase)
	}
}

func TestUsers(t *testing.T) {
	user, err := environment.AddUser(envtest.User{Name: "someone"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = clientFor(t, user.Config()).Create(context.Background(), configMap("forbidden"))
	if !apierrors.IsForbidden(err) {
		t.Fatalf("a user without a role gets %v", err)
	}
}

// Without controllers, namespaces are not emptied and no service accounts are created.
func TestNoControllers(t *testing.T) {
	ctx := context.Background()
	c := clientFor(t, config)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}
	if err := c.Create(ctx, namespace); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(ctx, namespace); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if err := c.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); err != nil || namespace.Status.Phase != corev1.NamespaceTerminating {
		t.Fatalf("the namespace is %s, %v", namespace.Status.Phase, err)
	}
	accounts := &corev1.ServiceAccountList{}
	if err := c.List(ctx, accounts); err != nil || len(accounts.Items) != 0 {
		t.Fatalf("there are %d service accounts, %v", len(accounts.Items), err)
	}
}

func TestRestartOfTheAPIServer(t *testing.T) {
	ctx := context.Background()
	if err := clientFor(t, config).Create(ctx, configMap("kept")); err != nil {
		t.Fatal(err)
	}
	server := environment.ControlPlane.GetAPIServer()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	user, err := environment.AddUser(envtest.User{Name: "another", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := clientFor(t, user.Config()).Get(ctx, client.ObjectKey{Namespace: "default", Name: "kept"}, &corev1.ConfigMap{}); err != nil {
		t.Fatal(err)
	}
}

func TestStop(t *testing.T) {
	begun := time.Now()
	if err := environment.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Fatalf("stopping took %v", took)
	}
}
