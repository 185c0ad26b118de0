package main

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"time"
)

const messageEach = 200 * time.Millisecond

// A line each 200 ms, until the client leaves or has to.
func (ending *ending) lines(version string) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		ending.eachTick(request, func() {
			fmt.Fprintln(answer, version)
			answer.(http.Flusher).Flush()
		})
	}
}

// A server stream of gRPC: the version as a message each 200 ms. When the client has to leave, the status is UNAVAILABLE, with which clients try again.
func (ending *ending) watch(version string) http.HandlerFunc {
	message := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(version)))
	message = append(message, version...)
	return func(answer http.ResponseWriter, request *http.Request) {
		answer.Header().Set("content-type", "application/grpc")
		ending.eachTick(request, func() {
			_, _ = answer.Write(message)
			answer.(http.Flusher).Flush()
		})
		answer.Header().Set(http.TrailerPrefix+"Grpc-Status", "14")
	}
}

func (ending *ending) eachTick(request *http.Request, send func()) {
	tick := time.NewTicker(messageEach)
	defer tick.Stop()
	left := ending.left(request.Context())
	for {
		send()
		ending.lastAt.Store(time.Now().UnixMilli())
		select {
		case <-request.Context().Done():
			return
		case <-left:
			return
		case <-tick.C:
		}
	}
}
