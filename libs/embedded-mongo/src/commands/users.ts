import type { Command } from '../engine/context.ts'
import { fail } from '../values/errors.ts'
import { typeName } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'

/** There are no users and no roles of one's own: questions about them are answered so, as by a server on which none was made. */
export const usersInfo: Command = { run: () => okReply({ users: [] }), fields: undefined }

export const rolesInfo: Command = { run: () => okReply({ roles: [] }), fields: undefined }

export const dropAllUsersFromDatabase: Command = { run: () => okReply({ n: 0 }), fields: new Set([]) }

/** updateUser and dropUser, which name a user that cannot be there. */
export const changeUser: Command = {
  run: ({ body, name, db }) => {
    const user = body[name]
    if (typeof user !== 'string') {
      return fail(14, `BSON field '${name}.${name}' is the wrong type '${typeName(user)}', expected type 'string'`)
    }
    return fail(11, `User '${user}@${db}' not found`)
  },
  fields: undefined,
}
