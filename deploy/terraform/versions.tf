# The provider reads FASTLY_API_KEY from the environment.
terraform {
  required_version = ">= 1.5"

  required_providers {
    fastly = {
      source  = "fastly/fastly"
      version = "~> 9.5"
    }
  }
}
