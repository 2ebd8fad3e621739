// Package controller holds the controller of guestbooks.
package controller

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	webappv1 "example.com/guestbook/api/v1"
)

// GuestbookReconciler keeps a ConfigMap for each Guestbook.
type GuestbookReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

func (r *GuestbookReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	guestbook := &webappv1.Guestbook{}
	if err := r.Get(ctx, request.NamespacedName, guestbook); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: guestbook.Namespace, Name: guestbook.Name + "-config"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data = map[string]string{"greeting": guestbook.Spec.Greeting, "entries": strconv.Itoa(int(guestbook.Spec.Entries))}
		return controllerutil.SetControllerReference(guestbook, config, r.Scheme)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	guestbook.Status = webappv1.GuestbookStatus{ObservedGeneration: guestbook.Generation, ConfigMap: config.Name}
	return ctrl.Result{}, r.Status().Update(ctx, guestbook)
}

func (r *GuestbookReconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&webappv1.Guestbook{}).Owns(&corev1.ConfigMap{}).Complete(r)
}
