import { createHash } from 'node:crypto'
import { Binary } from 'bson'
import { type Command, findCollection, viewFor } from '../engine/context.ts'
import { docOf } from '../read/found.ts'
import { runQuery } from '../read/read.ts'
import { checkDeadline, tick } from '../sessions/deadline.ts'
import { fail } from '../values/errors.ts'
import { asInteger } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'

/** The MD5 of a GridFS file, by which older drivers check what they have stored. */
export const filemd5: Command = {
  run: context => {
    const { filemd5: id, root = 'fs' } = context.body
    if (typeof root !== 'string') return fail(14, "BSON field 'filemd5.root' is the wrong type, expected type 'string'")
    const chunks = findCollection(context, `${root}.chunks`)
    const hash = createHash('md5')
    let numChunks = 0
    const query = { filter: { files_id: id }, sort: [{ path: 'n', direction: 1 as const }] }
    for (const found of chunks ? runQuery(viewFor(context), chunks, query) : []) {
      if (found === tick) checkDeadline(context.deadline)
      else {
        const { n, data } = docOf(found)
        if (asInteger(n) !== numChunks) return fail(50_700, `chunk number ${numChunks} of the file is missing`)
        if (!(data instanceof Binary)) return fail(50_849, `The element named 'data' of a chunk must be binary data`)
        hash.update(data.buffer.subarray(0, data.position))
        numChunks += 1
      }
    }
    return okReply({ numChunks, md5: hash.digest('hex') })
  },
  fields: new Set(['root', 'partialOk', 'md5state']),
}
