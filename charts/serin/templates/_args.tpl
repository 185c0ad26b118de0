{{/* The command line of the controller: flags that differ from its own defaults, or must not depend on them. */}}
{{- define "serin.args" -}}
- controller
- --log-level={{ .Values.logLevel }}
{{- if .Values.controlplane.kubeconfig.secretName }}
- --kubeconfig-service-mesh=/etc/serin/controlplane/{{ .Values.controlplane.kubeconfig.key }}
{{- end }}
{{- with include "serin.namespaces" . | fromJsonArray }}
- --namespaces={{ join "," . }}
{{- end }}
{{- with .Values.canarySelector }}
- {{ printf "--canary-selector=%v" . | quote }}
{{- end }}
{{- with .Values.meshProvider }}
- {{ printf "--mesh-provider=%v" . | quote }}
{{- end }}
{{- with .Values.ingressClass }}
- {{ printf "--ingress-class=%v" . | quote }}
{{- end }}
{{- with .Values.ingressAnnotationsPrefix }}
- {{ printf "--ingress-annotations-prefix=%v" . | quote }}
{{- end }}
{{- with .Values.metricsServer }}
- {{ printf "--metrics-server=%v" . | quote }}
{{- end }}
{{- if .Values.metricsServerSecret }}
- --metrics-server-secret=/etc/serin/metrics-server
{{- end }}
{{- with .Values.selectorLabels }}
- {{ printf "--selector-labels=%v" . | quote }}
{{- end }}
{{- with .Values.includeLabelPrefix }}
- {{ printf "--include-label-prefix=%v" . | quote }}
{{- end }}
- --companions={{ join "," (include "serin.companions" . | fromJsonArray) }}
- --enable-config-tracking={{ .Values.configTracking.enabled }}
- --secrets-mode={{ include "serin.secretsMode" . }}
{{- if ne (include "serin.secretsMode" .) "off" }}
{{- with .Values.secrets.namespaces }}
- --secrets-namespaces={{ join "," . }}
{{- end }}
{{- end }}
{{- if ne (include "serin.secretsMode" .) "off" }}
{{- with .Values.secrets.names }}
- --secrets-names={{ join "," . }}
{{- end }}
{{- end }}
{{- with .Values.uninstallGrace }}
- {{ printf "--uninstall-grace=%v" . | quote }}
{{- end }}
{{- with .Values.clusterName }}
- {{ printf "--cluster-name=%v" . | quote }}
{{- end }}
{{- with .Values.dashboardUrl }}
- {{ printf "--dashboard-url=%v" . | quote }}
{{- end }}
{{- if .Values.messageTemplates }}
- --message-templates-file=/etc/serin/messages/templates.yaml
{{- end }}
{{- with .Values.dashboard }}
{{- if .enabled }}
- --dashboard
{{- if .verbs }}
- --dashboard-verbs
{{- end }}
{{- if .tls.secretName }}
- --dashboard-tls-cert-file=/etc/serin/dashboard-tls/tls.crt
- --dashboard-tls-key-file=/etc/serin/dashboard-tls/tls.key
{{- end }}
{{- with .tokenAudience }}
- {{ printf "--dashboard-token-audience=%s" . | quote }}
{{- end }}
{{- with .oidc }}
{{- if .issuerUrl }}
- {{ printf "--dashboard-oidc-issuer-url=%s" .issuerUrl | quote }}
- {{ printf "--dashboard-oidc-client-id=%s" .clientId | quote }}
{{- if .clientSecret.name }}
- {{ printf "--dashboard-oidc-client-secret-file=/etc/serin/dashboard-oidc/%s" .clientSecret.key | quote }}
{{- end }}
{{- with .scopes }}
- {{ printf "--dashboard-oidc-scopes=%s" (join "," .) | quote }}
{{- end }}
- {{ printf "--dashboard-oidc-username-claim=%s" .usernameClaim | quote }}
{{- with .usernamePrefix }}
- {{ printf "--dashboard-oidc-username-prefix=%s" . | quote }}
{{- end }}
{{- with .groupsClaim }}
- {{ printf "--dashboard-oidc-groups-claim=%s" . | quote }}
{{- end }}
{{- with .groupsPrefix }}
- {{ printf "--dashboard-oidc-groups-prefix=%s" . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.slack.proxyUrl }}
- {{ printf "--slack-proxy-url=%v" . | quote }}
{{- end }}
{{- if or .Values.slack.url .Values.slack.channel }}
- {{ printf "--slack-user=%s" .Values.slack.user | quote }}
{{- end }}
{{- if or .Values.slack.url .Values.slack.channel }}
- {{ printf "--slack-channel=%s" .Values.slack.channel | quote }}
{{- end }}
{{- with .Values.msteams.proxyUrl }}
- {{ printf "--msteams-proxy-url=%v" . | quote }}
{{- end }}
{{- with .Values.allowedAddresses }}
- {{ printf "--allowed-addresses=%s" (join "," .) | quote }}
{{- end }}
{{- with .Values.allowedLocalAddresses }}
- {{ printf "--allowed-local-addresses=%s" (join "," .) | quote }}
{{- end }}
{{- if .Values.podLogs }}
- --pod-logs
{{- end }}
{{- if .Values.kstatus }}
- --kstatus
{{- end }}
{{- if .Values.requireSecretLabel }}
- --require-secret-label
{{- end }}
{{- if .Values.noCrossNamespaceRefs }}
- --no-cross-namespace-refs
{{- end }}
{{- with .Values.arrival }}
- {{ printf "--arrival=%v" . | quote }}
{{- end }}
{{- range $namespace, $entries := .Values.allowedHosts }}
- {{ printf "--allowed-hosts=%s=%s" $namespace (join "," $entries) | quote }}
{{- end }}
{{- range $namespace, $entries := .Values.allowedGateways }}
- {{ printf "--allowed-gateways=%s=%s" $namespace (join "," $entries) | quote }}
{{- end }}
{{- with .Values.journalLimit }}
- {{ printf "--journal-limit=%v" . | quote }}
{{- end }}
{{- if .Values.leaderElection.enabled }}
- --enable-leader-election
{{- end }}
{{- if gt (int .Values.leaderElection.shards) 1 }}
- --shards={{ .Values.leaderElection.shards }}
{{- end }}
{{- if .Values.leaderElection.enabled }}
- --leader-election-namespace={{ .Release.Namespace }}
{{- end }}
{{- with .Values.kubeconfigQPS }}
- {{ printf "--kubeconfig-qps=%v" . | quote }}
{{- end }}
{{- with .Values.kubeconfigBurst }}
- {{ printf "--kubeconfig-burst=%v" . | quote }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ quote . }}
{{- end }}
{{- end }}
