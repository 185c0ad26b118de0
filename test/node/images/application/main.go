// An application whose behaviour a test sets by its environment.
//
//	VERSION    what each answer says; or VERSION_FILE, a file with it, read at the start
//	BEHAVIOUR  good; failing: six of ten answers are 500; slow: an answer takes 800 ms; unready: never ready; exits: ends 10 s after it was ready;
//	           leaks: ready, then more and more memory; broken: ends at once
//
//	AT_END     what it does on SIGTERM. lingers, the default: answers until it is killed or has had no request for 3 s; at-once: ends; drains: asks each
//	           connection to leave, accepts others for 10 s, and ends when the last has left
//	MAX_AGE    seconds after which a connection is asked to leave; absent: never
//
// It serves HTTP/1.1 and, without TLS, HTTP/2 on :8080: / says the version, /ready and /live are for probes, /stream sends a line each 200 ms until the
// client leaves, /web.v1.Shop/Watch is a server stream of gRPC, /socket answers what a
// WebSocket sends, and /check is a webhook of the releases of another application.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
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
	var asked atomic.Int64
	ending := newEnding()
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
	mux.HandleFunc("/stream", ending.lines(version))
	mux.HandleFunc("/web.v1.Shop/Watch", ending.watch(version))
	mux.HandleFunc("/socket", ending.socket(version))
	mux.HandleFunc("/check", check)
	mux.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
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
	// Probes are no requests of users.
	all := http.NewServeMux()
	all.Handle("/live", mux)
	all.Handle("/ready", mux)
	all.Handle("/", ending.askToLeave(mux))
	server := &http.Server{Addr: ":8080", Handler: all, Protocols: protocols}
	server.ConnContext = func(ctx context.Context, _ net.Conn) context.Context { return noteOpened(ctx, time.Now()) }
	ending.server = server
	go func() {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}()
	ending.wait()
}

func afterReady(behaviour string) {
	switch behaviour {
	case "exits":
		time.AfterFunc(10*time.Second, func() {
			fmt.Println("no connection to the database")
			os.Exit(1)
		})
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
