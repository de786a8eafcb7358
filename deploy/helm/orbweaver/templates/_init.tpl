{{- /* A Job's spec that runs `orbweaver init`; `tag` is the image's, `suffix` that of its configuration's name, `tries` how often it tries again. */ -}}
{{- define "orbweaver.init" -}}
backoffLimit: {{ .tries }}
podFailurePolicy:
  rules:
    # Exit code 2: an option is wrong, or another version wrote the store. No other try mends that.
    - action: FailJob
      onExitCodes: {containerName: init, operator: In, values: [2]}
      # The schema of Kubernetes 1.28 asks for it.
      onPodConditions: []
template:
  metadata:
    labels:
      {{- include "orbweaver.selector" (list . "init") | nindent 6 }}
  spec:
    # Each try is a pod whose log stays.
    restartPolicy: Never
    {{- include "orbweaver.pod" . | nindent 4 }}
    containers:
      - name: init
        args: [orbweaver, init, --config, /etc/orbweaver/orbweaver.yaml]
        {{- include "orbweaver.container" (list . .tag) | nindent 8 }}
        resources:
          {{- include "orbweaver.commandResources" . | nindent 10 }}
        volumeMounts:
          {{- include "orbweaver.mounts" . | nindent 10 }}
    volumes:
      {{- include "orbweaver.volumes" . | nindent 6 }}
{{- end -}}
