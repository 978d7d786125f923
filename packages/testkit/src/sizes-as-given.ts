import fc from 'fast-check'

// Lists, bytes and texts of a property are as long as its `maxLength` says, not ten elements at most.
fc.configureGlobal({ ...fc.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true })
