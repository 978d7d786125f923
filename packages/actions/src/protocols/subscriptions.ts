// Subscription plugins of wallet v4.
import { attempt, bodyAfterQuery } from '../body.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, maybe, over, under } from '../core/pattern.ts'

const PAYMENT_ANSWER = 0xf06c7567
const PAYMENT_REQUEST = 0x706c7567
const PAYMENT = 0x73756273
const DESTRUCT = 0x64737472

const subscribe: Matcher = {
  name: 'subscribe',
  anchors: [PAYMENT_ANSWER],
  pattern: under(
    over(call(PAYMENT_ANSWER), as('payment', call(PAYMENT))),
    maybe(as('request', call(PAYMENT_REQUEST))),
  ),
  build({ anchor, captures }) {
    const payment = need(captures.find('payment'), 'payment')
    const request = captures.find('request')
    const asked = request && attempt(() => bodyAfterQuery(request).loadCoins())
    const columns = () => ({
      source: anchor.source,
      destination: payment.destination,
      destination_secondary: anchor.destination,
      amount: asked ?? anchor.value,
    })
    return { type: 'subscribe', failed: request?.failed ?? false, columns }
  },
}

const unsubscribe: Matcher = {
  name: 'unsubscribe',
  anchors: [DESTRUCT],
  pattern: over(call(DESTRUCT), maybe(call(DESTRUCT))),
  build({ anchor, captures }) {
    const answer = captures.call(DESTRUCT)
    const columns = () => ({
      source: anchor.source,
      destination: answer?.destination ?? null,
      destination_secondary: anchor.destination,
    })
    return { type: 'unsubscribe', columns }
  },
}

export const subscriptions: readonly Matcher[] = [subscribe, unsubscribe]
