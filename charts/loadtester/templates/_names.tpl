{{/* Names, labels and image; the same in each chart that has a Deployment, but for the label that selects (test/chart-flags.integration.test.ts). */}}
{{- define "loadtester.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "loadtester.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := include "loadtester.name" . }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The Deployment of Flagger's chart selects by `app`, and can never select by another label. */}}
{{- define "loadtester.selectorLabels" -}}
app: {{ include "loadtester.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "loadtester.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "loadtester.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "loadtester.image" -}}
{{- if not .Values.image.repository }}
{{- fail "image.repository: only the chart of a release has an image. Set it to the image of Serin in your registry, as in --set image.repository=registry.example.com/serin." }}
{{- end }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* As JSON; the secret in the form of Flagger's chart comes last. */}}
{{- define "loadtester.imagePullSecrets" -}}
{{- $secrets := .Values.imagePullSecrets }}
{{- with .Values.image.pullSecret }}
{{- $secrets = append $secrets (dict "name" .) }}
{{- end }}
{{- toJson $secrets }}
{{- end }}
