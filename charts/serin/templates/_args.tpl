{{/* The command line of the controller: only what differs from its own defaults, or must not depend on them. */}}
{{- define "serin.args" -}}
- controller
- --log-level={{ .Values.logLevel }}
- --metrics-server={{ .Values.metricsServer }}
{{- if .Values.metricsServerSecret }}
- --metrics-server-secret=/etc/serin/metrics-server
{{- end }}
{{- with .Values.allowedAddresses }}
- {{ printf "--allowed-addresses=%s" (join "," .) | quote }}
{{- end }}
- --enable-config-tracking={{ .Values.configTracking.enabled }}
- --secrets-mode={{ include "serin.secretsMode" . }}
{{- if ne (include "serin.secretsMode" .) "off" }}
{{- with .Values.secrets.namespaces }}
- --secrets-namespaces={{ join "," . }}
{{- end }}
{{- with .Values.secrets.names }}
- --secrets-names={{ join "," . }}
{{- end }}
{{- end }}
{{- with .Values.meshProvider }}
- --mesh-provider={{ . }}
{{- end }}
{{- with include "serin.namespaces" . | fromJsonArray }}
- --namespaces={{ join "," . }}
{{- end }}
{{- with .Values.canarySelector }}
- {{ printf "--canary-selector=%s" . | quote }}
{{- end }}
{{- with .Values.uninstallGrace }}
- --uninstall-grace={{ . }}
{{- end }}
{{- with .Values.journalLimit }}
- --journal-limit={{ . }}
{{- end }}
{{- with .Values.selectorLabels }}
- --selector-labels={{ . }}
{{- end }}
{{- with .Values.includeLabelPrefix }}
- {{ printf "--include-label-prefix=%s" . | quote }}
{{- end }}
{{- with .Values.ingressAnnotationsPrefix }}
- --ingress-annotations-prefix={{ . }}
{{- end }}
{{- with .Values.ingressClass }}
- --ingress-class={{ . }}
{{- end }}
{{- if .Values.requireSecretLabel }}
- --require-secret-label
{{- end }}
{{- if .Values.noCrossNamespaceRefs }}
- --no-cross-namespace-refs
{{- end }}
{{- range $namespace, $hosts := .Values.allowedHosts }}
- {{ printf "--allowed-hosts=%s=%s" $namespace (join "," $hosts) | quote }}
{{- end }}
{{- range $namespace, $gateways := .Values.allowedGateways }}
- {{ printf "--allowed-gateways=%s=%s" $namespace (join "," $gateways) | quote }}
{{- end }}
{{- with .Values.clusterName }}
- {{ printf "--cluster-name=%s" . | quote }}
{{- end }}
{{- if or .Values.slack.url .Values.slack.channel }}
- {{ printf "--slack-user=%s" .Values.slack.user | quote }}
- {{ printf "--slack-channel=%s" .Values.slack.channel | quote }}
{{- end }}
{{- with .Values.slack.proxyUrl }}
- --slack-proxy-url={{ . }}
{{- end }}
{{- with .Values.msteams.proxyUrl }}
- --msteams-proxy-url={{ . }}
{{- end }}
{{- with .Values.kubeconfigQPS }}
- --kubeconfig-qps={{ . }}
{{- end }}
{{- with .Values.kubeconfigBurst }}
- --kubeconfig-burst={{ . }}
{{- end }}
{{- if .Values.controlplane.kubeconfig.secretName }}
- --kubeconfig-service-mesh=/etc/serin/controlplane/{{ .Values.controlplane.kubeconfig.key }}
{{- end }}
{{- if .Values.leaderElection.enabled }}
- --enable-leader-election
- --leader-election-namespace={{ .Release.Namespace }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ quote . }}
{{- end }}
{{- end }}
