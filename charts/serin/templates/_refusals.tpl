{{/* Values that cannot work are refused here, before anything is changed. The types of all values are in values.schema.json. */}}
{{- define "serin.refusals" -}}
{{- if .Values.prometheus.install }}
{{- fail "prometheus.install: this chart has no Prometheus. Install one, set metricsServer to its address, and remove the value." }}
{{- end }}
{{- if regexMatch "(^|/)flagger$" .Values.image.repository }}
{{- fail (printf "image.repository: %s is the image of another controller. Set it to an image of Serin." .Values.image.repository) }}
{{- end }}
{{- if and (not .Values.leaderElection.enabled) (gt (int .Values.leaderElection.replicaCount) 1) }}
{{- fail "leaderElection.replicaCount: more than one replica needs leaderElection.enabled, or all of them would write." }}
{{- end }}
{{- if and (not .Values.leaderElection.enabled) (gt (int .Values.leaderElection.shards) 1) }}
{{- fail "leaderElection.shards: more than one shard needs leaderElection.enabled, since each shard is a lease." }}
{{- end }}
{{- $namespaces := include "serin.namespaces" . | fromJsonArray }}
{{- if $namespaces }}
{{- range .Values.secrets.namespaces }}
{{- if not (has . $namespaces) }}
{{- fail (printf "secrets.namespaces: Serin does not look after %s. Add it to namespaces, or remove it." .) }}
{{- end }}
{{- end }}
{{- end }}
{{- if (.Values.dashboard).enabled }}
{{- if and .Values.dashboard.oidc.issuerUrl (not .Values.dashboard.oidc.clientId) }}
{{- fail "dashboard.oidc.clientId: the provider of dashboard.oidc.issuerUrl needs one. Set it to the id of the dashboard there." }}
{{- end }}
{{- if and .Values.dashboard.oidc.issuerUrl (not .Values.dashboardUrl) }}
{{- fail "dashboardUrl: the provider of dashboard.oidc.issuerUrl sends browsers back to it. Set it to the address of the dashboard." }}
{{- end }}
{{- if and .Values.dashboardUrl (not (or (regexMatch "^https://[^/]+/?$" .Values.dashboardUrl) (include "serin.isLocalUrl" .Values.dashboardUrl))) }}
{{- fail (printf "dashboardUrl: %s must begin with https:// and have no path, since browsers keep the session cookie to themselves otherwise." .Values.dashboardUrl) }}
{{- end }}
{{- if regexMatch "^https://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:|/|$)" .Values.dashboardUrl }}
{{- fail (printf "dashboardUrl: %s must begin with http://, since a local address is reached by a port-forward." .Values.dashboardUrl) }}
{{- end }}
{{- if and (include "serin.hasDashboardService" .) .Values.networkPolicy.enabled (not .Values.dashboard.from) }}
{{- fail "dashboard.from: with dashboardUrl it must name the peers that may reach the dashboard, or no one does. Set it to the pods of your ingress controller, like [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress-nginx}}}]; all are [{ipBlock: {cidr: 0.0.0.0/0}}]." }}
{{- end }}
{{- end }}
{{- range $document := regexSplit "(?m)^---\\s*$" (toString (.Values.rbac.rights | default "")) -1 }}
{{- with fromYaml $document }}
{{- if not (regexMatch "^(Cluster)?Role(Binding)?$" (toString .kind)) }}
{{- fail (printf "rbac.rights: it has a document of kind %v, and only roles and bindings are taken. Set it to the output of serin rights, by --set-file." .kind) }}
{{- end }}
{{- range .subjects }}
{{- if or (ne .kind "ServiceAccount") (ne .name (include "serin.serviceAccountName" $)) (ne .namespace $.Release.Namespace) }}
{{- fail (printf "rbac.rights: it is for %s %s/%s, and the account is %s/%s. Print it anew with serin rights --service-account %s/%s." .kind .namespace .name $.Release.Namespace (include "serin.serviceAccountName" $) $.Release.Namespace (include "serin.serviceAccountName" $)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.admissionPolicy.enabled (semverCompare "<1.30.0-0" .Capabilities.KubeVersion.Version) }}
{{- fail (printf "admissionPolicy.enabled: a ValidatingAdmissionPolicy needs Kubernetes 1.30, and this is %s. Remove the value." .Capabilities.KubeVersion.Version) }}
{{- end }}
{{- if and (has "kuma" (include "serin.providers" . | fromJsonArray)) (include "serin.namespaces" . | fromJsonArray) }}
{{- fail "namespaces: a TrafficRoute of Kuma belongs to no namespace, so that Roles are not enough. Remove namespace and namespaces, or the provider kuma." }}
{{- end }}
{{- end }}
