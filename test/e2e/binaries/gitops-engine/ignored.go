package main

import (
	"encoding/json"
	"fmt"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube/scheme"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	jsonpatch "github.com/evanphx/json-patch"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Says which objects Argo CD would show as out of sync, and returns what it applies.
func compared(targets []*unstructured.Unstructured, lives map[kube.ResourceKey]*unstructured.Unstructured, ignored string, log logr.Logger) ([]*unstructured.Unstructured, error) {
	var ignore []v1alpha1.ResourceIgnoreDifferences
	if ignored != "" {
		if err := json.Unmarshal([]byte(ignored), &ignore); err != nil {
			return nil, err
		}
	}
	normalizer, err := normalizers.NewIgnoreNormalizer(ignore, nil, normalizers.IgnoreNormalizerOpts{})
	if err != nil {
		return nil, err
	}
	var patched []*unstructured.Unstructured
	for _, target := range targets {
		live := liveOf(target, lives)
		if live == nil {
			patched = append(patched, target)
			continue
		}
		found, err := diff.Diff(target, live, diff.WithNormalizer(normalizer), diff.WithLogr(log))
		if err != nil {
			return nil, err
		}
		if found.Modified {
			fmt.Printf("OutOfSync: %s\n", target.GetKind())
		}
		if ignored != "" {
			if target, err = respected(target, live, normalizer); err != nil {
				return nil, err
			}
		}
		patched = append(patched, target)
	}
	return patched, nil
}

// Manifests name no namespace where they leave it to the sync.
func liveOf(target *unstructured.Unstructured, lives map[kube.ResourceKey]*unstructured.Unstructured) *unstructured.Unstructured {
	for key, live := range lives {
		if key.Group == target.GroupVersionKind().Group && key.Kind == target.GetKind() && key.Name == target.GetName() {
			return live
		}
	}
	return nil
}

// As normalizeTargetResources of Argo CD 3.5 (controller/sync.go), which its controller keeps to itself. Argo CD's own normalizer takes the ignored
// fields out of both objects; what the live one lost by that is merged into the target.
func respected(target *unstructured.Unstructured, live *unstructured.Unstructured, normalizer diff.Normalizer) (*unstructured.Unstructured, error) {
	normalizedTarget, normalizedLive := target.DeepCopy(), live.DeepCopy()
	for _, one := range []*unstructured.Unstructured{normalizedTarget, normalizedLive} {
		if err := normalizer.Normalize(one); err != nil {
			return nil, err
		}
	}
	texts := map[*unstructured.Unstructured][]byte{}
	for _, one := range []*unstructured.Unstructured{normalizedTarget, normalizedLive, live} {
		text, err := one.MarshalJSON()
		if err != nil {
			return nil, err
		}
		texts[one] = text
	}
	versioned, err := scheme.Scheme.New(target.GroupVersionKind())
	var merged []byte
	if err != nil {
		patch, err := jsonpatch.CreateMergePatch(texts[normalizedLive], texts[live])
		if err != nil {
			return nil, err
		}
		if merged, err = jsonpatch.MergePatch(texts[normalizedTarget], patch); err != nil {
			return nil, err
		}
	} else {
		meta, err := strategicpatch.NewPatchMetaFromStruct(versioned)
		if err != nil {
			return nil, err
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch(texts[live], texts[live], texts[normalizedLive], meta, true)
		if err != nil {
			return nil, err
		}
		if merged, err = strategicpatch.StrategicMergePatch(texts[normalizedTarget], patch, versioned); err != nil {
			return nil, err
		}
	}
	result := &unstructured.Unstructured{}
	return result, result.UnmarshalJSON(merged)
}
