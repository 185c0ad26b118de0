{{/* Values that cannot work are refused here, before anything is changed. The types of all values are in values.schema.json. */}}
{{- define "loadtester.refusals" -}}
{{- if gt (int .Values.replicaCount) 1 }}
{{- fail "replicaCount: gates are the state of one process, and a second replica would answer otherwise. Set it to 1, and make another release for another load tester." }}
{{- end }}
{{- if regexMatch "(^|/)flagger-loadtester$" .Values.image.repository }}
{{- fail (printf "image.repository: %s is the image of another load tester. Set it to an image of Serin." .Values.image.repository) }}
{{- end }}
{{- $isOpen := not (include "loadtester.hasCredentials" .) }}
{{- if and .Values.commands.namespaces $isOpen (not .Values.commands.unauthenticated) }}
{{- fail "commands.namespaces: every client that reaches the port could run commands. Set credentials, or commands.unauthenticated if you want this." }}
{{- end }}
{{- if and .Values.istio.enabled $isOpen }}
{{- fail "istio.enabled: every client that reaches the gateway could start load and open gates. Set credentials." }}
{{- end }}
{{- end }}
