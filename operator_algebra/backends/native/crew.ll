; Threads that share a batch. Who helps looks at a sheet of words in memory:
; where it stands, the kernel, where the next piece starts, samples of a piece, samples, a number that the kernel is told,
; its table of addresses, and what came of it.
; It stands at 0 where the helper sleeps, 1 where it looks, 2 where it is asked for help, 3 where it helps, 4 at the end.

; Pieces of a batch, of which each thread takes the next until none is left; whether all that it took may be trusted.
define i64 @share(ptr %kernel, ptr %next, i64 %each, i64 %samples, i64 %told, ptr %table) {
entry:
  br label %take
take:
  %trusted = phi i64 [ 1, %entry ], [ %both, %run ]
  %first = atomicrmw add ptr %next, i64 %each monotonic
  %some = icmp slt i64 %first, %samples
  br i1 %some, label %run, label %done
run:
  %far = add i64 %first, %each
  %inside = icmp slt i64 %far, %samples
  %stop = select i1 %inside, i64 %far, i64 %samples
  %whole = call i64 %kernel(i64 %first, i64 %stop, i64 %told, ptr %table)
  %both = and i64 %trusted, %whole
  br label %take
done:
  ret i64 %trusted
}

; Look so many times, help when asked, and look again; whether this is the end, and not sleep.
define i64 @attend(ptr %sheet, i64 %looks) {
entry:
  br label %awake
awake:
  br label %look
look:
  %i = phi i64 [ 0, %awake ], [ %more, %idle ]
  %where = load atomic i64, ptr %sheet acquire, align 8
  switch i64 %where, label %idle [ i64 2, label %asked
                                   i64 4, label %end ]
idle:
  ; pause
  %more = add i64 %i, 1
  %long = icmp sge i64 %more, %looks
  br i1 %long, label %tired, label %look
tired:
  %nothing = cmpxchg ptr %sheet, i64 1, i64 0 acq_rel acquire
  %sleeps = extractvalue { i64, i1 } %nothing, 1
  br i1 %sleeps, label %sleep, label %awake
asked:
  %claimed = cmpxchg ptr %sheet, i64 2, i64 3 acq_rel acquire
  %claims = extractvalue { i64, i1 } %claimed, 1
  br i1 %claims, label %help, label %awake
help:
  %at.kernel = getelementptr i64, ptr %sheet, i64 1
  %at.next = getelementptr i64, ptr %sheet, i64 2
  %at.each = getelementptr i64, ptr %sheet, i64 3
  %at.samples = getelementptr i64, ptr %sheet, i64 4
  %at.told = getelementptr i64, ptr %sheet, i64 5
  %at.table = getelementptr i64, ptr %sheet, i64 6
  %at.trusted = getelementptr i64, ptr %sheet, i64 7
  %kernel = load ptr, ptr %at.kernel
  %next = load ptr, ptr %at.next
  %each = load i64, ptr %at.each
  %samples = load i64, ptr %at.samples
  %told = load i64, ptr %at.told
  %table = load ptr, ptr %at.table
  %trusted = call i64 @share(ptr %kernel, ptr %next, i64 %each, i64 %samples, i64 %told, ptr %table)
  store i64 %trusted, ptr %at.trusted
  store atomic i64 1, ptr %sheet release, align 8
  br label %awake
sleep:
  ret i64 0
end:
  ret i64 1
}

; Let it stand elsewhere; where it stood.
define i64 @put(ptr %sheet, i64 %where) {
  %before = atomicrmw xchg ptr %sheet, i64 %where acq_rel
  ret i64 %before
}

; Take a question back if nobody has come for it, or look so many times whether the help is done; whether it is.
define i64 @wait(ptr %sheet, i64 %looks) {
entry:
  %back = cmpxchg ptr %sheet, i64 2, i64 1 acq_rel acquire
  br label %look
look:
  %i = phi i64 [ 0, %entry ], [ %more, %busy ]
  %where = load atomic i64, ptr %sheet acquire, align 8
  %helps = icmp eq i64 %where, 3
  br i1 %helps, label %busy, label %done
busy:
  ; pause
  %more = add i64 %i, 1
  %long = icmp sge i64 %more, %looks
  br i1 %long, label %late, label %look
late:
  ret i64 0
done:
  ret i64 1
}
