import type { View } from '../define-view.ts'
import { account, address } from '../expressions.ts'

/** Content of a master: what the operator set, else that of the chain; then what was fetched. */
export const content = (alias: string): string => `left join metadata_overrides ${alias}o
    on ${alias}o.account_id = ${alias}.account_id and ${alias}o.type = 2
  left join address_metadata ${alias}d on ${alias}d.account_id = ${alias}.account_id and ${alias}d.type = 2`
/**
 * An attribute of the master with the alias, as text; `fetched`: where it is if only a fetched document has
 * it.
 */
export const attribute = (alias: string, name: string, fetched = `${alias}d.${name}`): string =>
  `coalesce(${alias}o.content->>'${name}', ${alias}.content->>'${name}', ${fetched})`
/** Decimals of the master with the alias; 9 when unknown, as in TEP-64. */
export const decimals = (alias: string): string =>
  `coalesce(analytics.decimals_of(${attribute(alias, 'decimals', `${alias}d.extra->>'decimals'`)}), 9)`

/** The master with alias `j`, for the id in `column`. */
export const jetton = (column: string): string =>
  `${account('ja', column)} left join jetton_masters j on j.account_id = ${column} ${content('j')}`
export const JETTON: View['columns'] = {
  jetton: [address('ja'), 'Address of the master. This identifies a jetton: anybody can choose any symbol.'],
  symbol: [attribute('j', 'symbol'), 'Symbol; null: neither on the chain nor fetched.'],
}
/** The smallest units in a column as whole jettons of the master `j`. */
export const units = (column: string): string => `analytics.units(${column}, ${decimals('j')})`
