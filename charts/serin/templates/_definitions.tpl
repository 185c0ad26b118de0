{{/* True if this release did not make the existing resource definition: then its owner changes it. */}}
{{- define "serin.isForeignDefinition" -}}
{{- $there := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .name }}
{{- $owner := ((($there).metadata).annotations) | default dict }}
{{- $isOurs := and (eq (get $owner "meta.helm.sh/release-name") .Release.Name) (eq (get $owner "meta.helm.sh/release-namespace") .Release.Namespace) }}
{{- if and $there (not $isOurs) }}true{{ end }}
{{- end }}
