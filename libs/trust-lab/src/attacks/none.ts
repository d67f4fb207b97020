import type { Attack } from '../attack.ts'

const none: Attack = { title: 'nobody attacks' }
const lane: Attack = { title: 'nobody attacks; bonded new agents have the lane of gigs up to 40 USDC', lane: true }

export default { none, lane }
