{{- define "serin.serviceAccountName" -}}
{{- default (ternary (include "serin.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{/* Where client libraries look for it. */}}
{{- define "serin.tokenFolder" -}}
/var/run/secrets/kubernetes.io/serviceaccount
{{- end }}

{{/* True if the user mounts a token. */}}
{{- define "serin.hasOwnToken" -}}
{{- $folder := include "serin.tokenFolder" . }}
{{- range .Values.additionalVolumeMounts }}
{{- if eq (trimSuffix "/" .mountPath) $folder }}true{{ end }}
{{- end }}
{{- end }}

{{/* The namespaces that are looked after, as JSON; empty if all. */}}
{{- define "serin.namespaces" -}}
{{- prepend .Values.namespaces .Values.namespace | compact | uniq | toJson }}
{{- end }}

{{/* The traffic providers that are switched on, as JSON. */}}
{{- define "serin.providers" -}}
{{- $provider := regexReplaceAll "^(smi:[^:]+):.*$" (default "istio" .Values.meshProvider) "${1}" | replace "gatewayapi:v1alpha2" "gatewayapi:v1" -}}
{{- prepend .Values.providers $provider | uniq | toJson }}
{{- end }}

{{/* Kinds of targets, as JSON. Absent where an upgrade keeps the values of an older chart. */}}
{{- define "serin.kinds" -}}
{{- if kindIs "invalid" .Values.kinds }}{{ toJson (list "Deployment" "DaemonSet") }}{{ else }}{{ toJson .Values.kinds }}{{ end }}
{{- end }}

{{/* Kinds of which primaries get companions, as JSON. All are on where an upgrade keeps the values of an older chart. */}}
{{- define "serin.companions" -}}
{{- $on := list -}}
{{- range $kind := list "podDisruptionBudgets" "networkPolicies" "verticalPodAutoscalers" -}}
{{- if ne (toString (get ($.Values.companions | default dict) $kind)) "false" -}}{{- $on = append $on $kind -}}{{- end -}}
{{- end -}}
{{- toJson $on -}}
{{- end }}

{{/* True if copies that Flagger made are kept; also without the value, where an upgrade keeps the values of an older chart. */}}
{{- define "serin.takesOver" -}}
{{- if and .Values.configTracking.enabled (ne (toString .Values.configTracking.takeOver) "false") }}true{{ end }}
{{- end }}

{{/* Without tracking, Secrets are read only for references. To YAML a bare `off` is false. */}}
{{- define "serin.secretsMode" -}}
{{- ternary (default "off" .Values.secrets.mode) "off" .Values.configTracking.enabled }}
{{- end }}

{{/* The copies of the named Secrets that Flagger made, as JSON. */}}
{{- define "serin.primarySecretNames" -}}
{{- $names := list }}
{{- range .Values.secrets.names }}
{{- $names = append $names (printf "%s-primary" .) }}
{{- end }}
{{- toJson $names }}
{{- end }}

{{/* Where the leases are: the controller puts them into its one namespace, and otherwise into the configured one. */}}
{{- define "serin.leaseNamespace" -}}
{{- $namespaces := include "serin.namespaces" . | fromJsonArray }}
{{- ternary (first (append $namespaces "")) .Release.Namespace (eq (len $namespaces) 1) }}
{{- end }}

{{/* A slice has leases of its own, whose names the controller makes; empty then. */}}
{{- define "serin.hasLeaseNames" -}}
{{- if and (empty .Values.canarySelector) (le (len (include "serin.namespaces" . | fromJsonArray)) 1) }}true{{ end }}
{{- end }}

{{- define "serin.hasReceivers" -}}
{{- if or .Values.slack.url .Values.msteams.url .Values.eventWebhook }}true{{ end }}
{{- end }}

{{- define "serin.hasService" -}}
{{- if or .Values.service.enabled .Values.serviceMonitor.enabled }}true{{ end }}
{{- end }}

{{/* Not empty where the apex guard is made. */}}
{{- define "serin.hasApexGuard" -}}
{{- if and .Values.apexGuard.enabled (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy") }}yes{{ end }}
{{- end }}

{{/* True if an address is of the machine that the browser runs on. */}}
{{- define "serin.isLocalUrl" -}}
{{- if regexMatch "^http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?/?$" . }}true{{ end }}
{{- end }}

{{/* True if browsers reach the dashboard by its Service; a port-forward has a listener of its own. */}}
{{- define "serin.hasDashboardService" -}}
{{- if and (.Values.dashboard).enabled .Values.dashboardUrl (not (include "serin.isLocalUrl" .Values.dashboardUrl)) }}true{{ end }}
{{- end }}

{{/* Labels of what `helm test` makes: nothing that selects the controller selects its pod. */}}
{{- define "serin.testLabels" -}}
app.kubernetes.io/name: {{ include "serin.name" . | trunc 58 | trimSuffix "-" }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
