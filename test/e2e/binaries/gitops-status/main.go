// Says of objects what the tools of GitOps make of them: JSON lines in, JSON lines out. "kstatus" and "flux" (health check expressions) are the code of kstatus and Flux.
// "health", "actions" and "action" run a script in the Lua of Argo CD, with the libraries that it opens: package, base, table, and of os only time and date.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type question struct {
	Op          string                           `json:"op"`
	Object      map[string]any                   `json:"object"`
	Script      string                           `json:"script"`
	Expressions kustomize.HealthCheckExpressions `json:"expressions"`
}

type answer struct {
	Status  string `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
	// What a script has returned.
	Returned any    `json:"returned,omitempty"`
	Error    string `json:"error,omitempty"`
}

func answerTo(asked question) (answer, error) {
	object := &unstructured.Unstructured{}
	text, err := json.Marshal(asked.Object)
	if err != nil {
		return answer{}, err
	}
	// Whole numbers become integers, as those of an API server.
	if err := object.UnmarshalJSON(text); err != nil {
		return answer{}, err
	}
	switch asked.Op {
	case "kstatus":
		result, err := status.Compute(object)
		if err != nil {
			return answer{}, err
		}
		return answer{Status: result.Status.String(), Message: result.Message}, nil
	case "flux":
		evaluator, err := cel.NewStatusEvaluator(&asked.Expressions)
		if err != nil {
			return answer{}, err
		}
		result, err := evaluator.Evaluate(context.Background(), object)
		if err != nil {
			return answer{}, err
		}
		return answer{Status: result.Status.String(), Message: result.Message}, nil
	default:
		returned, err := run(asked.Script, object.Object)
		return answer{Returned: returned}, err
	}
}

func run(script string, object map[string]any) (any, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return nil, err
		}
	}
	state.PreloadModule(lua.OsLibName, func(l *lua.LState) int {
		l.Push(l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"time": osTime, "date": osDate}))
		return 1
	})
	limited, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(limited)
	state.SetGlobal("obj", valueOf(state, object))
	if err := state.DoString(script); err != nil {
		return nil, err
	}
	return read(state.Get(-1)), nil
}

func osTime(l *lua.LState) int {
	l.Push(lua.LNumber(time.Now().Unix()))
	return 1
}

// Knows the only format that the scripts use.
func osDate(l *lua.LState) int {
	format := l.CheckString(1)
	if format != "!%Y-%m-%dT%H:%M:%SZ" {
		l.RaiseError("os.date: %s", format)
	}
	l.Push(lua.LString(time.Now().UTC().Format(time.RFC3339)))
	return 1
}

func valueOf(l *lua.LState, value any) lua.LValue {
	switch known := value.(type) {
	case bool:
		return lua.LBool(known)
	case float64:
		return lua.LNumber(known)
	case int64:
		return lua.LNumber(known)
	case string:
		return lua.LString(known)
	case []any:
		table := l.NewTable()
		for _, one := range known {
			table.Append(valueOf(l, one))
		}
		return table
	case map[string]any:
		table := l.NewTable()
		for name, one := range known {
			table.RawSetString(name, valueOf(l, one))
		}
		return table
	default:
		return lua.LNil
	}
}

func read(value lua.LValue) any {
	switch known := value.(type) {
	case lua.LBool:
		return bool(known)
	case lua.LNumber:
		return float64(known)
	case lua.LString:
		return string(known)
	case *lua.LTable:
		if known.Len() > 0 {
			list := []any{}
			known.ForEach(func(_, one lua.LValue) { list = append(list, read(one)) })
			return list
		}
		record := map[string]any{}
		known.ForEach(func(name, one lua.LValue) { record[strings.TrimSpace(fmt.Sprint(name))] = read(one) })
		return record
	default:
		return nil
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1024*1024), 16*1024*1024)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		said, err := answer{}, json.Unmarshal(lines.Bytes(), &asked)
		if err == nil {
			said, err = answerTo(asked)
		}
		if err != nil {
			said = answer{Error: err.Error()}
		}
		if err := out.Encode(said); err != nil {
			os.Exit(1)
		}
	}
}
