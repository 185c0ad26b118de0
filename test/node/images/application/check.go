package main

import (
	"fmt"
	"net/http"
	"time"
)

const (
	checkRequests = 20
	checkFailures = 2
	checkWithin   = 500 * time.Millisecond
)

// A webhook for a release: 500 when more than two of twenty requests to the address in ?url= fail, or take longer than 500 ms.
func check(answer http.ResponseWriter, request *http.Request) {
	client := http.Client{Timeout: checkWithin, Transport: &http.Transport{DisableKeepAlives: true}}
	failed := 0
	for count := 0; count < checkRequests && failed <= checkFailures; count++ {
		got, err := client.Get(request.URL.Query().Get("url"))
		if err == nil {
			_ = got.Body.Close()
		}
		if err != nil || got.StatusCode >= http.StatusInternalServerError {
			failed++
		}
	}
	if failed > checkFailures {
		http.Error(answer, fmt.Sprintf("more than %d of %d requests failed, or took longer than %s", checkFailures, checkRequests, checkWithin), http.StatusInternalServerError)
	}
}
