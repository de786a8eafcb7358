{{- /* The workers' admin servers with TLS (admin.tlsSecret). */ -}}
{{- define "orbweaver.adminScheme" -}}
{{ .Values.admin.tlsSecret | empty | ternary "HTTP" "HTTPS" }}
{{- end -}}

{{- /* What a worker shows; a certificate that is renewed is read again. */ -}}
{{- define "orbweaver.adminTlsShown" -}}
{{- if .Values.admin.tlsSecret }}
- name: ORBWEAVER_ADMIN__TLS_CERT
  value: /etc/orbweaver-admin-tls/tls.crt
- name: ORBWEAVER_ADMIN__TLS_KEY
  value: /etc/orbweaver-admin-tls/tls.key
{{- end }}
{{- end -}}

{{- /* Whom commands and the console believe. */ -}}
{{- define "orbweaver.adminTlsTrusted" -}}
{{- if .Values.admin.tlsSecret }}
- name: ORBWEAVER_ADMIN__TLS_CA
  value: /etc/orbweaver-admin-tls/ca.crt
{{- end }}
{{- end -}}

{{- define "orbweaver.adminTlsMount" -}}
{{- if .Values.admin.tlsSecret }}
- name: admin-tls
  mountPath: /etc/orbweaver-admin-tls
  readOnly: true
{{- end }}
{{- end -}}

{{- define "orbweaver.adminTlsVolume" -}}
{{- with .Values.admin.tlsSecret }}
- name: admin-tls
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end -}}
