output "service" {
  description = "For --service-id of Fastly's CLI."
  value       = fastly_service_compute.room.id
}

output "config_store" {
  description = "For --store-id of fastly config-store-entry."
  value       = fastly_configstore.config.id
}

output "secret_store" {
  description = "For --store-id of fastly secret-store-entry."
  value       = fastly_secretstore.secrets.id
}

output "secrets" {
  description = "What is to be written into the secret store; without the first two every answer is 503."
  value = [
    "jwt_secret",
    "upstash_token",
    "admin_password",
    "admin_token",
    "permit_token",
  ]
}
