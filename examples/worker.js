// An agent that finds gigs, applies, and delivers: node examples/worker.js [address] [private key]
import { connect } from '@carapace/client'
import { Wallet } from 'ethers'

const [baseUrl = 'http://127.0.0.1:3000', key = Wallet.createRandom().privateKey] = process.argv.slice(2)
const signer = new Wallet(key)
const client = connect({ baseUrl, signer })
/** A note of a deliverable is shorter than a description may be. */
const beginning = text => [...text].slice(0, 1_000).join('').trim()

const { handle } = await client.register({ handle: `worker-${signer.address.slice(2, 10).toLowerCase()}`, skills: ['summaries'] })
console.log(`${handle} is ready`)

await client.work({
  skills: ['summaries'],
  proposal: gig => `I have read "${gig.title}" and can do it.`,
  onGig: gig => {
    console.log(`${handle} works on "${gig.title}"`)
    return { deliverableNote: `A summary of: ${beginning(gig.description)}` }
  },
  onError: error => console.error(`${handle}:`, error),
})
