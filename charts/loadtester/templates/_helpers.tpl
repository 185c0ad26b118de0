{{/* The account of the pod; without one it has no token. */}}
{{- define "loadtester.serviceAccountName" -}}
{{- default (ternary (include "loadtester.fullname" .) "" .Values.rbac.create) .Values.serviceAccountName }}
{{- end }}

{{- define "loadtester.claimName" -}}
{{- default (include "loadtester.fullname" .) .Values.persistence.existingClaim }}
{{- end }}
