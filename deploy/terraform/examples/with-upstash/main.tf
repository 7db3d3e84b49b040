# A database at Upstash and the waiting room, in one plan. FASTLY_API_KEY, UPSTASH_EMAIL and UPSTASH_API_KEY are in the environment.
#
# Upstash's provider writes the database's password and tokens into the state, as text: keep the state as you keep those.

terraform {
  required_version = ">= 1.5"

  required_providers {
    fastly = {
      source  = "fastly/fastly"
      version = "~> 9.5"
    }
    upstash = {
      source  = "upstash/upstash"
      version = "~> 2.0"
    }
  }
}

# Nearest to most visitors, without read regions, since each call is a write, and without eviction: an evicted key can be a line.
resource "upstash_redis_database" "room" {
  database_name  = "now-serving"
  region         = "global"
  primary_region = "eu-west-1"
  eviction       = false
  tls            = true

  lifecycle {
    prevent_destroy = true
  }
}

module "waiting_room" {
  source = "../.."

  domain      = "www.shop.example"
  origin      = "origin.shop.example"
  upstash_url = "https://${upstash_redis_database.room.endpoint}"
  settings    = { automatic = 30, automatic_quantity = 20 }
}

output "secret_store" {
  description = "The id into which the secrets are to be written."
  value       = module.waiting_room.secret_store
}

# For the secret upstash_token: terraform output -raw upstash_token.
output "upstash_token" {
  description = "The REST token that may write."
  value       = upstash_redis_database.room.rest_token
  sensitive   = true
}
