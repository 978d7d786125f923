import { BASIC_DETAILS } from './details/basic.ts'
import { COCOON_DETAILS } from './details/cocoon.ts'
import { DEX_DETAILS } from './details/dex.ts'
import { NFT_DETAILS } from './details/nft.ts'
import { PROTOCOL_DETAILS } from './details/protocols.ts'
import { type Details, type RenderContext, rendererOf, type Shape } from './details/render.ts'
import type { ActionRow } from './row.ts'

const DETAILS: Readonly<Record<string, Shape>> = {
  ...BASIC_DETAILS,
  ...NFT_DETAILS,
  ...DEX_DETAILS,
  ...PROTOCOL_DETAILS,
  ...COCOON_DETAILS,
}

const RENDERERS = new Map(Object.entries(DETAILS).map(([type, shape]) => [type, rendererOf(shape)]))

const NO_NAMES: RenderContext = { nameOf: () => undefined, network: 'mainnet' }

/** Types with a shape of their own. */
export const RENDERED_TYPES: readonly string[] = [...RENDERERS.keys()]

/**
 * `type` and `details` of an action as in API v3. Accepts rows from the classifier and rows that went through
 * JSON (amounts as strings). An unknown type has empty details; internal rows are never returned.
 */
export function renderAction(
  row: ActionRow,
  context: Partial<RenderContext> = {},
): { readonly type: string; readonly details: Details } {
  const details = RENDERERS.get(row.type)?.(row, { ...NO_NAMES, ...context }) ?? {}
  return { type: shownType(row), details }
}

/** Extra currencies change the type in replies only: rows and filters do not have it. */
function shownType({ type, value_extra_currencies }: ActionRow): string {
  const carrier = type === 'call_contract' || type === 'ton_transfer'
  return carrier && Object.keys(value_extra_currencies ?? {}).length > 0 ? 'extra_currency_transfer' : type
}
