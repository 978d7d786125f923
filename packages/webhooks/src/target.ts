import { isIP } from 'node:net'
import { checkUrl, FetchError, isPublicAddress } from '@shardwalk/metadata'

/** Where webhooks may lead. */
export interface TargetOptions {
  /** Whether a webhook may have a private address and any port. */
  readonly allowPrivate: boolean
}

/** The URL of a webhook. Throws `FetchError` if nothing will be sent there; names are not resolved. */
export function checkTarget(text: string, { allowPrivate }: TargetOptions): URL {
  if (allowPrivate) return checkForm(text)
  const url = checkUrl(text)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) && !isPublicAddress(host)) throw new FetchError('blocked', 'the host is not a public one')
  return url
}

const MAX_URL = 4096

function checkForm(text: string): URL {
  const url = URL.canParse(text) && text.length <= MAX_URL ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new FetchError('unsupported', 'a webhook has an http or https URL of at most 4096 characters')
  if (url.username !== '' || url.password !== '')
    throw new FetchError('blocked', 'URLs with user names are not used')
  return url
}
