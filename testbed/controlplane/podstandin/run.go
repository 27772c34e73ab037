package podstandin

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// workers is how many pods are written at the same time.
const workers = 8

type standIn struct {
	client    kubernetes.Interface
	pods      cache.Store
	queue     workqueue.TypedRateLimitingInterface[string]
	addresses addresses
}

// Run makes the Node and stands in for its kubelet until the context ends.
func Run(ctx context.Context, client kubernetes.Interface, node string) error {
	if err := register(ctx, client, node); err != nil {
		return err
	}
	backoff := workqueue.NewTypedItemExponentialFailureRateLimiter[string](10*time.Millisecond, 5*time.Second)
	s := &standIn{client: client, queue: workqueue.NewTypedRateLimitingQueue(backoff)}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTransform(withoutManagedFields),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", node).String()
		}))
	informer := factory.Core().V1().Pods().Informer()
	s.pods = informer.GetStore()
	enqueue := func(o any) {
		s.addresses.seen(o.(*corev1.Pod))
		s.queue.Add(cache.MetaObjectToName(o.(*corev1.Pod)).String())
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, o any) { enqueue(o) }})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer s.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	for range workers {
		go s.work(ctx)
	}
	<-ctx.Done()
	return nil
}

// withoutManagedFields keeps the greater part of a pod out of memory. (The API server restores what an update leaves out.)
func withoutManagedFields(o any) (any, error) {
	if pod, ok := o.(*corev1.Pod); ok {
		pod.ManagedFields = nil
	}
	return o, nil
}

func (s *standIn) work(ctx context.Context) {
	for {
		key, stop := s.queue.Get()
		if stop {
			return
		}
		again, err := s.turn(ctx, key)
		switch {
		case apierrors.IsConflict(err), apierrors.IsNotFound(err): // what was read is old: the event of the change comes, or has come
			s.queue.AddRateLimited(key)
		case err != nil:
			klog.ErrorS(err, "Pod stand-in", "pod", key)
			s.queue.AddRateLimited(key)
		default:
			s.queue.Forget(key)
			if again > 0 {
				s.queue.AddAfter(key, again)
			}
		}
		s.queue.Done(key)
	}
}

// turn brings one pod to the state in which a kubelet would have it now.
func (s *standIn) turn(ctx context.Context, key string) (again time.Duration, err error) {
	o, found, err := s.pods.GetByKey(key)
	if err != nil || !found {
		return 0, err
	}
	pod := o.(*corev1.Pod)
	pods := s.client.CoreV1().Pods(pod.Namespace)
	if pod.DeletionTimestamp != nil {
		if grace := pod.DeletionGracePeriodSeconds; grace != nil && *grace == 0 {
			return 0, nil // it only waits for its finalizers
		}
		now := metav1.NewDeleteOptions(0)
		now.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
		return 0, pods.Delete(ctx, pod.Name, *now)
	}
	status, again := Next(pod, s.addresses.of(pod), time.Now())
	if equality.Semantic.DeepEqual(status, pod.Status) {
		return again, nil
	}
	changed := pod.DeepCopy()
	changed.Status = status
	if _, err := pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{}); err != nil {
		return 0, fmt.Errorf("write status: %w", err)
	}
	return again, nil
}
