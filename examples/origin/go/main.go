// A shop that only visitors from its waiting room reach: it checks Queue-Pass first. Go's standard library, nothing else.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

const (
	leeway  = 5    // By how many seconds the clocks of the edge and of this machine may differ.
	longest = 1024 // A pass has some 300 characters. Nothing longer is looked at.
)

var (
	separator = regexp.MustCompile(`\s*,\s*|\s+`)
	roomName  = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

type checker struct {
	keys  map[string][]byte
	rooms []string
	hosts []string
}

type header struct{ Alg, Typ, Kid string }

type claims struct {
	Sub, Room, Aud string
	Exp            int64
}

// newChecker reads keys from lines of a name, a space and 64 hexadecimal digits.
func newChecker(keys, rooms, hosts string) *checker {
	c := &checker{keys: map[string][]byte{}, hosts: strings.Fields(hosts)}
	words := strings.Fields(keys)
	for i := 0; i+1 < len(words); i += 2 {
		if key, err := hex.DecodeString(words[i+1]); err == nil && len(key) == sha256.Size {
			c.keys[words[i]] = key
		}
	}
	if len(c.keys) == 0 || rooms == "" || len(c.hosts) == 0 {
		log.Fatal("Set QUEUE_PASS_KEYS to what `cargo dev secret pass` prints, QUEUE_ROOM and QUEUE_HOSTS.")
	}
	c.rooms = separator.Split(strings.TrimSpace(rooms), -1)
	for _, name := range c.rooms {
		if !roomName.MatchString(name) {
			log.Fatalf("QUEUE_ROOM is %q. Accepted are names of rooms, separated by commas or spaces, each of letters, digits, - and _.", rooms)
		}
	}
	return c
}

func isListed(names []string, name string) bool {
	for _, listed := range names {
		if listed == name {
			return true
		}
	}
	return false
}

func decode(part string, into any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, into) == nil
}

func isSignedBy(key []byte, text, signature string) bool {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hmac.Equal([]byte(signature), []byte(base64.RawURLEncoding.EncodeToString(mac.Sum(nil))))
}

// claimsOf returns what a good pass says.
func (c *checker) claimsOf(pass string) (said claims, ok bool) {
	parts := strings.Split(pass, ".")
	var head header
	if len(pass) > longest || len(parts) != 3 || !decode(parts[0], &head) {
		return said, false
	}
	key, known := c.keys[head.Kid]
	if !known || head.Alg != "HS256" || head.Typ != "queue-pass+JWT" {
		return said, false
	}
	if !isSignedBy(key, parts[0]+"."+parts[1], parts[2]) || !decode(parts[1], &said) {
		return said, false
	}
	isOurs := isListed(c.rooms, said.Room) && isListed(c.hosts, said.Aud)
	return said, isOurs && said.Exp+leeway > time.Now().Unix()
}

// onlyWithPass hands on requests with a good pass, and answers 403 to all others.
func (c *checker) onlyWithPass(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The claims' Sub is the ticket's id, for your log.
		if _, ok := c.claimsOf(r.Header.Get("Queue-Pass")); !ok {
			http.Error(w, "This shop is reached through its waiting room only. Go to https://"+c.hosts[0]+"/.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func main() {
	c := newChecker(os.Getenv("QUEUE_PASS_KEYS"), os.Getenv("QUEUE_ROOM"), os.Getenv("QUEUE_HOSTS"))
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	shop := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "<p>Welcome to the shop.</p>") })
	log.Printf("The shop listens on http://127.0.0.1:%s.", port)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, c.onlyWithPass(shop)))
}
