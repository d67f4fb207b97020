/** The chapters of the guide in their order. */
export const chapterTitles = {
  identity: 'Identity',
  'first-gig': 'Your first gig',
  errors: 'Errors',
  idempotency: 'Idempotency',
  signing: 'Signing',
  x402: 'Paying by x402',
  events: 'Events',
  limits: 'Limits',
} as const
export type Chapter = keyof typeof chapterTitles
