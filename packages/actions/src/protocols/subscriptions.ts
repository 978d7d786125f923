// Subscription plugins of wallet v4.
import { SUBSCRIPTION, SUBSCRIPTION_BODIES } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, maybe, over, under } from '../core/pattern.ts'

const subscribe: Matcher = {
  name: 'subscribe',
  anchors: [SUBSCRIPTION.paymentAnswer],
  pattern: under(
    over(call(SUBSCRIPTION.paymentAnswer), as('payment', call(SUBSCRIPTION.payment))),
    maybe(as('request', call(SUBSCRIPTION.paymentRequest))),
  ),
  build({ anchor, captures }) {
    const payment = need(captures.find('payment'), 'payment')
    const request = captures.find('request')
    const asked = request && attempt(() => fieldsOf(request, SUBSCRIPTION_BODIES.paymentRequest).amount)
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
  anchors: [SUBSCRIPTION.destruct],
  pattern: over(call(SUBSCRIPTION.destruct), maybe(call(SUBSCRIPTION.destruct))),
  build({ anchor, captures }) {
    const answer = captures.call(SUBSCRIPTION.destruct)
    const columns = () => ({
      source: anchor.source,
      destination: answer?.destination ?? null,
      destination_secondary: anchor.destination,
    })
    return { type: 'unsubscribe', columns }
  },
}

/** A payment to a plugin, whether or not it asked for it, and a plugin that destroys itself. */
export const subscriptions: readonly Matcher[] = [subscribe, unsubscribe]
