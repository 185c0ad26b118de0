// Stands in for the wget of Alpine in the image of Flagger, whose chart probes by it: asks the last argument, and ends with 1 where the answer is an error.
package main

import (
	"net/http"
	"os"
	"time"
)

func main() {
	client := http.Client{Timeout: 4 * time.Second}
	answer, err := client.Get(os.Args[len(os.Args)-1])
	if err != nil || answer.StatusCode >= http.StatusBadRequest {
		os.Exit(1)
	}
}
