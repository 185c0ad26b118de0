// What Argo CD's own virtual machine makes of the texts of its ConfigMap argocd-cm: one request per line on stdin, one answer per line on stdout, both
// in JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Health and Actions are texts of argocd-cm, Action is the name of one to run. All are optional: without Health it is Argo CD's bundled script that
// answers.
type request struct {
	Object  map[string]any `json:"object"`
	Health  string         `json:"health,omitempty"`
	Actions string         `json:"actions,omitempty"`
	Action  string         `json:"action,omitempty"`
}

type said struct {
	Status  string `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
	Error   string `json:"error,omitempty"`
}

type offered struct {
	Name     string `json:"name"`
	Disabled bool   `json:"disabled,omitempty"`
}

type answer struct {
	Health  said           `json:"health"`
	Actions []offered      `json:"actions,omitempty"`
	Changed map[string]any `json:"changed,omitempty"`
	Error   string         `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := bufio.NewWriter(os.Stdout)
	for lines.Scan() {
		text, err := json.Marshal(answered(lines.Bytes()))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out.Write(append(text, '\n'))
		out.Flush()
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answered(line []byte) answer {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	// By its own reader: whole numbers must not become floats.
	text, err := json.Marshal(asked.Object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		return answer{Error: err.Error()}
	}
	overrides := map[string]v1alpha1.ResourceOverride{}
	if asked.Health != "" || asked.Actions != "" {
		overrides[lua.GetConfigMapKey(object.GroupVersionKind())] = v1alpha1.ResourceOverride{HealthLua: asked.Health, Actions: asked.Actions}
	}
	vm := lua.VM{ResourceOverrides: overrides}
	result := answer{Health: healthOf(object, overrides)}
	if asked.Actions != "" {
		if result.Actions, err = offeredOf(object, vm); err != nil {
			result.Error = err.Error()
		}
	}
	if asked.Action != "" {
		if result.Changed, err = changedBy(object, vm, asked.Action); err != nil {
			result.Error = err.Error()
		}
	}
	return result
}

func offeredOf(object *unstructured.Unstructured, vm lua.VM) ([]offered, error) {
	scripts, err := vm.GetResourceActionDiscovery(object)
	if err != nil {
		return nil, err
	}
	actions, err := vm.ExecuteResourceActionDiscovery(object, scripts)
	if err != nil {
		return nil, err
	}
	names := []offered{}
	for _, one := range actions {
		names = append(names, offered{Name: one.Name, Disabled: one.Disabled})
	}
	return names, nil
}

func changedBy(object *unstructured.Unstructured, vm lua.VM, name string) (map[string]any, error) {
	action, err := vm.GetResourceAction(object, name)
	if err != nil {
		return nil, err
	}
	impacted, err := vm.ExecuteResourceAction(object, action.ActionLua, nil)
	if err != nil {
		return nil, err
	}
	if len(impacted) != 1 {
		return nil, fmt.Errorf("%s changes %d objects", name, len(impacted))
	}
	return impacted[0].UnstructuredObj.Object, nil
}

func healthOf(object *unstructured.Unstructured, overrides lua.ResourceHealthOverrides) said {
	health, err := overrides.GetResourceHealth(object)
	if err != nil {
		return said{Error: err.Error()}
	}
	if health == nil {
		return said{}
	}
	return said{Status: string(health.Status), Message: health.Message}
}
