import { createHash } from 'node:crypto'

/** Source: TEP-64. */
export const TEP64_ATTRIBUTES = [
  'uri',
  'name',
  'description',
  'image',
  'image_data',
  'symbol',
  'decimals',
  'amount_style',
  'render_type',
] as const

/** Attribute names used on the chain: those of TEP-64 and TEP-176, and others that collections add. */
const NAMES = [
  ...TEP64_ATTRIBUTES,
  'custom_payload_api_uri',
  'mintless_merkle_dump_uri',
  'attributes',
  'content_url',
  'content_type',
  'cover_image',
  'animation_url',
  'external_url',
  'marketplace',
  'social_links',
] as const

/** Maps a dictionary key (SHA-256 of the name, hex) to the name. */
export const ATTRIBUTE_KEYS: ReadonlyMap<string, string> = new Map(
  NAMES.map((name) => [createHash('sha256').update(name).digest('hex'), name]),
)
