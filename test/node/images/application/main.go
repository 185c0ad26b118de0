// An application whose behaviour a test sets by its environment.
//
//	VERSION    what each answer says; or VERSION_FILE, a file with it, read at the start
//	BEHAVIOUR  good; failing: six of ten answers are 500; slow: an answer takes 800 ms; unready: never ready; exits: ends 10 s after it was ready;
//	           leaks: ready, then more and more memory; broken: ends at once
//
// It serves HTTP/1.1 and, without TLS, HTTP/2 on :8080: / says the version, /ready and /live are for probes, /stream sends a line each 100 ms until the
// client leaves. On SIGTERM it goes on answering until it is killed or has had no request for 3 s, as an application does that serves through its grace.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	version, behaviour := os.Getenv("VERSION"), os.Getenv("BEHAVIOUR")
	if file := os.Getenv("VERSION_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		version = string(text)
	}
	if behaviour == "broken" {
		fmt.Fprintln(os.Stderr, "this version does not start")
		os.Exit(1)
	}
	var asked, lastAt atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/live", func(http.ResponseWriter, *http.Request) {})
	var isReady atomic.Bool
	mux.HandleFunc("/ready", func(answer http.ResponseWriter, _ *http.Request) {
		if behaviour == "unready" {
			answer.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if isReady.CompareAndSwap(false, true) {
			afterReady(behaviour)
		}
	})
	mux.HandleFunc("/stream", func(answer http.ResponseWriter, request *http.Request) {
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			fmt.Fprintln(answer, version)
			answer.(http.Flusher).Flush()
			lastAt.Store(time.Now().UnixMilli())
			select {
			case <-request.Context().Done():
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	})
	mux.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		lastAt.Store(time.Now().UnixMilli())
		count := asked.Add(1)
		if behaviour == "slow" {
			time.Sleep(800 * time.Millisecond)
		}
		answer.Header().Set("content-type", "application/json")
		if behaviour == "failing" && count%10 < 6 {
			answer.WriteHeader(http.StatusInternalServerError)
		}
		_ = json.NewEncoder(answer).Encode(map[string]string{"version": version})
	})
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: ":8080", Handler: mux, Protocols: protocols}
	go func() {
		if err := server.ListenAndServe(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
	stoppedAt := time.Now().UnixMilli()
	for time.Now().UnixMilli()-max(lastAt.Load(), stoppedAt) < 3000 {
		time.Sleep(100 * time.Millisecond)
	}
}

func afterReady(behaviour string) {
	switch behaviour {
	case "exits":
		time.AfterFunc(10*time.Second, func() { os.Exit(1) })
	case "leaks":
		go func() {
			var kept [][]byte
			for {
				page := make([]byte, 4<<20)
				for at := 0; at < len(page); at += 4096 {
					page[at] = 1
				}
				kept = append(kept, page)
				time.Sleep(200 * time.Millisecond)
			}
		}()
	}
}
