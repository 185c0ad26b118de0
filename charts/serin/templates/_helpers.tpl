{{- define "serin.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "serin.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := include "serin.name" . }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "serin.selectorLabels" -}}
app.kubernetes.io/name: {{ include "serin.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "serin.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "serin.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "serin.serviceAccountName" -}}
{{- default (ternary (include "serin.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{- define "serin.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The namespaces that are looked after, as JSON; none: all. */}}
{{- define "serin.namespaces" -}}
{{- prepend .Values.namespaces .Values.namespace | compact | uniq | toJson }}
{{- end }}

{{/* The traffic providers that are switched on, as JSON. */}}
{{- define "serin.providers" -}}
{{- prepend .Values.providers (default "istio" .Values.meshProvider) | uniq | toJson }}
{{- end }}

{{/* Without tracking, Secrets are read for references alone. To YAML a bare `off` is false. */}}
{{- define "serin.secretsMode" -}}
{{- ternary (default "off" .Values.secrets.mode) "off" .Values.configTracking.enabled }}
{{- end }}

{{/* Where the lease is: the controller puts it into its one namespace, and otherwise where it is told to. */}}
{{- define "serin.leaseNamespace" -}}
{{- $namespaces := include "serin.namespaces" . | fromJsonArray }}
{{- ternary (first (append $namespaces "")) .Release.Namespace (eq (len $namespaces) 1) }}
{{- end }}

{{/* A slice has a lease of its own, whose name the controller makes; empty then. */}}
{{- define "serin.leaseName" -}}
{{- if and (empty .Values.canarySelector) (le (len (include "serin.namespaces" . | fromJsonArray)) 1) }}flagger-leader-election{{ end }}
{{- end }}

{{- define "serin.hasReceivers" -}}
{{- if or .Values.slack.url .Values.msteams.url .Values.eventWebhook }}true{{ end }}
{{- end }}

{{- define "serin.hasService" -}}
{{- if or .Values.service.enabled .Values.serviceMonitor.enabled }}true{{ end }}
{{- end }}
