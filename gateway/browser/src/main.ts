import { offerCopies } from './copies.ts'
import { followEvents } from './live.ts'
import { countDown } from './times.ts'
import { offerVerification } from './verify.ts'

// every page works without this; it adds copying, counting down, checking receipts and news
offerCopies(document)
countDown()
offerVerification()
followEvents(offerCopies)
