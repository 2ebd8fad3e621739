package controller

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webappv1 "example.com/guestbook/api/v1"
)

var _ = Describe("Guestbook controller", func() {
	var guestbook *webappv1.Guestbook

	configMap := func(g Gomega) *corev1.ConfigMap {
		config := &corev1.ConfigMap{}
		key := client.ObjectKey{Namespace: guestbook.Namespace, Name: guestbook.Name + "-config"}
		g.Expect(k8sClient.Get(ctx, key, config)).To(Succeed())
		return config
	}

	BeforeEach(func() {
		guestbook = &webappv1.Guestbook{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "book-", Namespace: "default"},
			Spec:       webappv1.GuestbookSpec{Entries: 10},
		}
		Expect(k8sClient.Create(ctx, guestbook)).To(Succeed())
		DeferCleanup(func() { Expect(k8sClient.Delete(ctx, guestbook)).To(Succeed()) })
	})

	It("writes the settings into a ConfigMap that the Guestbook owns", func() {
		Eventually(func(g Gomega) {
			config := configMap(g)
			g.Expect(config.Data).To(Equal(map[string]string{"greeting": "Welcome", "entries": "10"}))
			g.Expect(metav1.IsControlledBy(config, guestbook)).To(BeTrue())
		}).Should(Succeed())
	})

	It("follows changes and reports the generation it has seen", func() {
		guestbook.Spec.Greeting = "Hello"
		Eventually(func() error {
			err := k8sClient.Update(ctx, guestbook)
			if apierrors.IsConflict(err) { // the controller has written the status
				Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(guestbook), guestbook)).To(Succeed())
				guestbook.Spec.Greeting = "Hello"
			}
			return err
		}).Should(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(configMap(g).Data).To(HaveKeyWithValue("greeting", "Hello"))
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(guestbook), guestbook)).To(Succeed())
			g.Expect(guestbook.Status.ObservedGeneration).To(Equal(guestbook.Generation))
		}).Should(Succeed())
	})

	It("is protected by the rule of its definition", func() {
		wrong := &webappv1.Guestbook{
			ObjectMeta: metav1.ObjectMeta{Name: "wrong", Namespace: "default"},
			Spec:       webappv1.GuestbookSpec{Entries: 1000},
		}
		Expect(k8sClient.Create(ctx, wrong)).To(MatchError(ContainSubstring("entries must be from 1 to 100")))
	})
})
