import { createHmac } from 'node:crypto'
import { DEFAULT_GATEWAYS, gatewayUrl, isIpfs } from './ipfs.ts'
import { checkUrl } from './url-policy.ts'

/** An imgproxy that serves images of tokens in three sizes. */
export interface ImageProxy {
  /** Base URL, with or without a trailing slash. */
  readonly url: string
  readonly key: Buffer
  readonly salt: Buffer
  /** Gateway for `ipfs:` images. Default: the first default gateway. */
  readonly gateway?: string
}

const SIZES = ['small', 'medium', 'big'] as const

/**
 * `_image_small`, `_image_medium`, `_image_big`: URLs signed for imgproxy's presets of these names
 * (HMAC-SHA256 over salt and path, as in its documentation). Computed per reply, so that key and base URL may
 * change. Empty if the image is not an http, https or ipfs URL.
 */
export function imageLinks(
  image: string,
  proxy: ImageProxy,
  blurred: boolean,
): Readonly<Record<string, string>> {
  const source = sourceOf(image, proxy.gateway ?? DEFAULT_GATEWAYS[0])
  if (source === undefined) return {}
  return Object.fromEntries(SIZES.map((size) => [`_image_${size}`, link(source, size, proxy, blurred)]))
}

function link(source: string, size: string, proxy: ImageProxy, blurred: boolean): string {
  const path = `/pr:${size}${blurred ? '/bl:256' : ''}/${Buffer.from(source).toString('base64url')}`
  const signature = createHmac('sha256', proxy.key).update(proxy.salt).update(path).digest('base64url')
  return `${proxy.url.replace(/\/+$/, '')}/${signature}${path}`
}

/** The image as the parser of URLs reads it; undefined if it must not be fetched. */
function sourceOf(image: string, gateway: string): string | undefined {
  try {
    return isIpfs(image) ? gatewayUrl(image, gateway) : checkUrl(image).href
  } catch {
    return undefined
  }
}
