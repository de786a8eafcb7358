// The API server of Kubernetes as a program of a module of ours (README.md).
package main

import (
	"os"

	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) }
