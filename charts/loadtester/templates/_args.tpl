{{- define "loadtester.args" -}}
- loadtester
- --port=8080
- --log-level={{ .Values.logLevel }}
- --timeout={{ .Values.cmd.timeout }}
- --state-file=/data/gates.json
{{- with .Values.cmd.namespaceRegexp }}
- {{ printf "--namespace-regexp=%s" . | quote }}
{{- end }}
{{- range .Values.commands.namespaces }}
- {{ printf "--allow-commands=%s" . | quote }}
{{- end }}
{{- if .Values.commands.unauthenticated }}
- --allow-unauthenticated-commands
{{- end }}
{{- with .Values.credentials }}
{{- if .secretName }}
- --credentials-dir=/etc/serin/callers
{{- end }}
{{- if .token.name }}
- --token-file=/etc/serin/token/{{ .token.key }}
{{- end }}
{{- if .signingKey.name }}
- --signing-key-file=/etc/serin/signing-key/{{ .signingKey.key }}
{{- end }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ quote . }}
{{- end }}
{{- end }}

{{- define "loadtester.hasCredentials" -}}
{{- with .Values.credentials }}{{ if or .secretName .token.name .signingKey.name }}true{{ end }}{{ end }}
{{- end }}
