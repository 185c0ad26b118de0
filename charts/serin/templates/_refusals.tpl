{{/* What cannot work is refused here, before anything is changed. The types of all values are in values.schema.json. */}}
{{- define "serin.refusals" -}}
{{- if .Values.prometheus.install }}
{{- fail "prometheus.install: there is no Prometheus in this chart. Install one, set metricsServer to its address, and remove the value." }}
{{- end }}
{{- if regexMatch "(^|/)flagger$" .Values.image.repository }}
{{- fail (printf "image.repository: %s is the image of another controller. Set it to an image of Serin." .Values.image.repository) }}
{{- end }}
{{- if and (not .Values.leaderElection.enabled) (gt (int .Values.leaderElection.replicaCount) 1) }}
{{- fail "leaderElection.replicaCount: more than one replica needs leaderElection.enabled, or all of them would write." }}
{{- end }}
{{- if and .Values.secrets.names (ne (include "serin.secretsMode" .) "off") }}
{{- fail "secrets.names: copies of tracked Secrets have names that nobody knows before. Set secrets.mode to off, or remove the names." }}
{{- end }}
{{- if and .Values.admissionPolicy.enabled (semverCompare "<1.30.0-0" .Capabilities.KubeVersion.Version) }}
{{- fail (printf "admissionPolicy.enabled: a ValidatingAdmissionPolicy needs Kubernetes 1.30, and this is %s. Remove the value." .Capabilities.KubeVersion.Version) }}
{{- end }}
{{- if and (has "kuma" (include "serin.providers" . | fromJsonArray)) (include "serin.namespaces" . | fromJsonArray) }}
{{- fail "namespaces: a TrafficRoute of Kuma belongs to no namespace, so that Roles are not enough. Remove namespace and namespaces, or the provider kuma." }}
{{- end }}
{{- end }}
