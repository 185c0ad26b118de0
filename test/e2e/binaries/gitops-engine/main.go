// One sync by Argo CD's gitops-engine, as Argo CD makes it: the manifests of one file are applied by the field manager of Argo CD. Options of a
// sync are annotations of the manifests (argocd.argoproj.io/sync-options), as there. With --ignore-differences the fields named there are those of
// the live objects, as with the option RespectIgnoreDifferences=true.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/engine"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2/textlogger"
)

const tracking = "argocd.argoproj.io/tracking-id"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster")
	namespace := flag.String("namespace", "default", "of the manifests")
	file := flag.String("file", "", "the manifests")
	ignored := flag.String("ignore-differences", "", "spec.ignoreDifferences of the Application, as JSON")
	flag.Parse()
	failed, err := syncOnce(*kubeconfig, *namespace, *file, *ignored)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

func syncOnce(kubeconfig string, namespace string, file string, ignored string) (bool, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return false, err
	}
	config.QPS, config.Burst = 100, 200
	manifests, err := manifestsIn(file, namespace)
	if err != nil {
		return false, err
	}
	log := textlogger.NewLogger(textlogger.NewConfig())
	clusterCache := cache.NewClusterCache(config,
		cache.SetNamespaces([]string{namespace}),
		cache.SetLogr(log),
		cache.SetPopulateResourceInfoHandler(func(one *unstructured.Unstructured, _ bool) (any, bool) {
			isTracked := one.GetAnnotations()[tracking] != ""
			return isTracked, isTracked
		}),
	)
	gitOps := engine.NewEngine(config, clusterCache, engine.WithLogr(log))
	cleanup, err := gitOps.Run()
	if err != nil {
		return false, err
	}
	defer cleanup()
	isTracked := func(one *cache.Resource) bool { return one.Info == true }
	lives, err := clusterCache.GetManagedLiveObjs(manifests, isTracked)
	if err != nil {
		return false, err
	}
	targets, err := compared(manifests, lives, ignored, log)
	if err != nil {
		return false, err
	}
	results, err := gitOps.Sync(context.Background(), targets, isTracked, "1", namespace,
		sync.WithLogr(log), sync.WithServerSideApplyManager("argocd-controller"))
	failed := false
	for _, result := range results {
		fmt.Printf("%s: %s %s\n", result.ResourceKey.String(), result.Status, result.Message)
		failed = failed || result.Status == "SyncFailed"
	}
	return failed, err
}

func manifestsIn(file string, namespace string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	manifests, err := kube.SplitYAML(text)
	if err != nil {
		return nil, err
	}
	for _, one := range manifests {
		annotations := one.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		key := kube.GetResourceKey(one)
		annotations[tracking] = fmt.Sprintf("shop:%s/%s:%s/%s", key.Group, key.Kind, namespace, key.Name)
		one.SetAnnotations(annotations)
	}
	return manifests, nil
}
