# The service with its stores, backends and log. README.md says what goes in and comes out.
#
# Settings are seeds: they are changed in the store at any time, without Terraform, which leaves them as they are.
# Secrets of the service are written by Fastly's CLI and never stand in Terraform's state (docs/how-to/deploy-with-terraform.md).
# `log_authorization` does stand there, as text: keep the state as you keep a password, or leave that variable out.

locals {
  package      = coalesce(var.package_path, "${path.module}/../../pkg/now-serving.tar.gz")
  origin_name  = coalesce(var.origin_host, var.origin)
  upstash_host = trimsuffix(trimprefix(var.upstash_url, "https://"), "/")
}

data "fastly_package_hash" "room" {
  filename = local.package
}

# Stores have one name in the whole account; the service knows its own as `config` and `secrets`. Under another name each
# would be made anew, empty, and the one before deleted: a plan that would do so ends with an error.
resource "fastly_configstore" "config" {
  name = coalesce(var.config_store_name, "${var.name}-config")

  lifecycle {
    prevent_destroy = true
  }
}

resource "fastly_configstore_entries" "config" {
  store_id = fastly_configstore.config.id

  entries = {
    upstash_url = var.upstash_url
    settings    = jsonencode(merge(var.origin_host == null ? {} : { origin_host = var.origin_host }, var.settings))
  }
}

resource "fastly_secretstore" "secrets" {
  name = coalesce(var.secret_store_name, "${var.name}-secrets")

  lifecycle {
    prevent_destroy = true
  }
}

resource "fastly_service_compute" "room" {
  name = var.name

  domain {
    name = var.domain
  }

  # With a certificate from the first minute, to try the service before DNS moves.
  domain {
    name = "${replace(var.domain, ".", "-")}.edgecompute.app"
  }

  # The host of the setting admin_host, if there is one.
  dynamic "domain" {
    for_each = setsubtract([lookup(var.settings, "admin_host", "none")], ["", "none"])

    content {
      name = domain.value
    }
  }

  package {
    filename         = local.package
    source_code_hash = data.fastly_package_hash.room.hash
  }

  # Without override_host, which would go before the setting origin_host, and before the Host that the visitor asked for.
  backend {
    name                  = "protected_content"
    address               = var.origin
    port                  = 443
    use_ssl               = true
    ssl_cert_hostname     = local.origin_name
    ssl_sni_hostname      = local.origin_name
    first_byte_timeout    = var.origin_first_byte_timeout
    between_bytes_timeout = var.origin_between_bytes_timeout
  }

  # Sites of rooms and regions: the setting `backend`, or `backend` in `regions`, names them.
  dynamic "backend" {
    for_each = var.backends

    content {
      name              = backend.key
      address           = backend.value
      port              = 443
      use_ssl           = true
      ssl_cert_hostname = backend.value
      ssl_sni_hostname  = backend.value
    }
  }

  # The store's deadline is a property of its backend, and no visitor waits longer for it.
  backend {
    name                  = "upstash"
    address               = local.upstash_host
    port                  = 443
    use_ssl               = true
    override_host         = local.upstash_host
    ssl_cert_hostname     = local.upstash_host
    ssl_sni_hostname      = local.upstash_host
    connect_timeout       = 1000
    first_byte_timeout    = 500
    between_bytes_timeout = 500
  }

  resource_link {
    name        = "config"
    resource_id = fastly_configstore.config.id
  }

  resource_link {
    name        = "secrets"
    resource_id = fastly_secretstore.secrets.id
  }

  # Without log_url there is no log: the room, the panel and the metrics work without one.
  dynamic "logging_https" {
    for_each = var.log_url == null ? [] : [var.log_url]

    content {
      name         = "queue_logs"
      url          = logging_https.value
      method       = "POST"
      content_type = "application/x-ndjson"
      header_name  = var.log_authorization == null ? null : "Authorization"
      header_value = var.log_authorization
      json_format  = "2"
      message_type = "blank"
    }
  }
}
