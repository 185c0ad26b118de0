package main

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// How long a draining application goes on accepting connections: proxies learn of its end late, and clients that resolve names keep addresses for 5 s.
const acceptsFor = 10 * time.Second

// When connections have to leave, by AT_END and MAX_AGE.
type ending struct {
	server *http.Server
	// Closed when the application drains.
	draining chan struct{}
	maxAge   time.Duration
	lastAt   atomic.Int64
}

type openedAt struct{}

func newEnding() *ending {
	seconds, _ := strconv.Atoi(os.Getenv("MAX_AGE"))
	return &ending{draining: make(chan struct{}), maxAge: time.Duration(seconds) * time.Second}
}

// What the server notes of each connection.
func noteOpened(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, openedAt{}, at)
}

// Asks the client to open another connection for its next request: by "connection: close", which HTTP/2 sends as GOAWAY.
func (ending *ending) askToLeave(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		ending.lastAt.Store(time.Now().UnixMilli())
		select {
		case <-ending.left(request.Context()):
			answer.Header().Set("connection", "close")
		default:
		}
		handler.ServeHTTP(answer, request)
	})
}

// Closed when what is served on this connection has to end.
func (ending *ending) left(ctx context.Context) <-chan struct{} {
	if ending.maxAge == 0 {
		return ending.draining
	}
	opened, _ := ctx.Value(openedAt{}).(time.Time)
	left := make(chan struct{})
	if time.Since(opened) >= ending.maxAge {
		close(left)
		return left
	}
	go func() {
		defer close(left)
		select {
		case <-time.After(time.Until(opened.Add(ending.maxAge))):
		case <-ending.draining:
		case <-ctx.Done():
		}
	}()
	return left
}

// Returns when the application may end.
func (ending *ending) wait() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
	switch os.Getenv("AT_END") {
	case "at-once":
	case "drains":
		close(ending.draining)
		time.Sleep(acceptsFor)
		_ = ending.server.Shutdown(context.Background())
		sockets.Wait()
	default:
		stoppedAt := time.Now().UnixMilli()
		for time.Now().UnixMilli()-max(ending.lastAt.Load(), stoppedAt) < 3000 {
			time.Sleep(100 * time.Millisecond)
		}
	}
}
