// Package ext stands in for the folder of Traefik's repository that has a go.mod of its own and is published nowhere.
package ext

// HTTP adds nothing.
type HTTP struct{}

// Router adds nothing.
type Router struct{}
