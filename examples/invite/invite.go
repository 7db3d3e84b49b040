// A shop that makes an invitation for one visitor, say a buyer whose payment failed. Go's standard library, nothing else.
// Start it as `go run invite.go BATCH GROUP`; without GROUP the invitation leads straight in.
package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"
)

// For how many seconds it is good.
const life = 7 * 24 * 3600

type header struct {
	Alg string `json:"alg"`
	Typ string `json:"typ"`
}

type claims struct {
	Room  string `json:"room"`
	Group string `json:"group,omitempty"`
	Batch string `json:"batch"`
	Uses  int    `json:"uses"`
	Jti   string `json:"jti"`
	Exp   int64  `json:"exp"`
}

func encode(part any) string {
	text, err := json.Marshal(part)
	if err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// invitation returns the code of one.
func invitation(key []byte, said claims) string {
	text := encode(header{"HS256", "queue-invite+jwt"}) + "." + encode(said)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func main() {
	key, err := hex.DecodeString(os.Getenv("QUEUE_INVITE_KEY"))
	if err != nil || len(key) != sha256.Size {
		log.Fatal("Set QUEUE_INVITE_KEY to the first line that `cargo dev secret invite` prints.")
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		log.Fatal(err)
	}
	said := claims{Room: os.Getenv("QUEUE_ROOM"), Batch: "shop", Uses: 1, Jti: hex.EncodeToString(id), Exp: time.Now().Unix() + life}
	if said.Room == "" {
		said.Room = "main"
	}
	if len(os.Args) > 1 {
		said.Batch = os.Args[1]
	}
	if len(os.Args) > 2 {
		said.Group = os.Args[2]
	}
	fmt.Println(invitation(key, said))
}
