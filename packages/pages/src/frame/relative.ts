/** Attributes that name an address, and those in which our scripts find one. */
const OWN = / (href|src|action|data-events|data-status|data-status-view)="\/(?!\/)/g

/**
 * Pages name addresses of the service from its root, as `/blocks`. A reverse proxy may publish it below a
 * path that it does not know, so these become relative to the page. Not by `<base>`: the policy forbids it.
 * `html`: as rendered, where texts and values contain no quotation mark.
 */
export const relativeTo = (root: string, html: string): string => html.replace(OWN, ` $1="${root}`)
