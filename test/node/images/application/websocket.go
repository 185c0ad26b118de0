package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Of RFC 6455: the key of the handshake, kinds of frames, and "going away".
const (
	webSocketKey  = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	text, closing = 0x1, 0x8
	goingAway     = 1001
	// For the client to answer a close.
	closesWithin = 2 * time.Second
)

// WebSockets are no more of the server that they came by: it does not wait for them.
var sockets sync.WaitGroup

// Answers each text with the version, a space and the text. When the client has to leave, it is closed with "going away".
func (ending *ending) socket(version string) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		sum := sha1.Sum([]byte(request.Header.Get("sec-websocket-key") + webSocketKey))
		left := ending.left(request.Context())
		sockets.Add(1)
		defer sockets.Done()
		connection, buffered, err := answer.(http.Hijacker).Hijack()
		if err != nil {
			http.Error(answer, err.Error(), http.StatusInternalServerError)
			return
		}
		defer connection.Close()
		_, _ = io.WriteString(connection, "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: "+
			base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n")
		var turn sync.Mutex
		isClosed := false
		sayGoodbye := func(payload []byte) {
			turn.Lock()
			defer turn.Unlock()
			if !isClosed {
				isClosed = true
				writeFrame(connection, closing, payload)
			}
		}
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			select {
			case <-left:
				sayGoodbye(binary.BigEndian.AppendUint16(nil, goingAway))
				_ = connection.SetReadDeadline(time.Now().Add(closesWithin))
			case <-ended:
			}
		}()
		for {
			kind, payload, err := readFrame(buffered.Reader)
			if err != nil || kind == closing {
				if err == nil {
					sayGoodbye(payload)
				}
				return
			}
			ending.lastAt.Store(time.Now().UnixMilli())
			turn.Lock()
			if !isClosed {
				writeFrame(connection, text, []byte(version+" "+string(payload)))
			}
			turn.Unlock()
		}
	}
}

func writeFrame(connection net.Conn, kind byte, payload []byte) {
	_, _ = connection.Write(append([]byte{0x80 | kind, byte(len(payload))}, payload...))
}

// A frame of a client: whole, masked, and shorter than 126 bytes.
func readFrame(from *bufio.Reader) (kind byte, payload []byte, err error) {
	head := make([]byte, 6)
	if _, err = io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	length := head[1] & 0x7f
	if head[0]&0x80 == 0 || head[1]&0x80 == 0 || length > 125 {
		return 0, nil, errors.New("not a frame that this application reads")
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(from, payload)
	for at := range payload {
		payload[at] ^= head[2+at%4]
	}
	return head[0] & 0x0f, payload, err
}
