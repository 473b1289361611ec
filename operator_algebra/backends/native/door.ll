; Calls that Python makes of machine code, with nothing of Python but its stable interface.
;
; The words of the table of a door are the address of the kernel, the samples up to which Python waits for it, None, the
; type of arrays, numpy.empty, what is called where the door has no answer, the most samples of a call, how many arrays are
; given, the axes of a result, its bytes, the letter of its numbers, the bytes of one, their kind where it is not the
; usual one, their kind in any case, the lengths of three axes, and for each array its name and how many numbers a row
; has. The name of the array for the result comes last.
;
; The words of the table of a bound call are the address of the kernel, the samples up to which Python waits for it,
; None, what is called where numbers may not be trusted, the samples, where results go, where they are computed, their
; bytes, and then the table of the kernel.

%Buffer = type { ptr, ptr, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr }

declare void @PyBuffer_Release(ptr)
declare ptr @PyBytes_AsString(ptr)
declare void @PyErr_Clear()
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyEval_SaveThread()
declare ptr @PyLong_FromSsize_t(i64)
declare void @PyMem_Free(ptr)
declare ptr @PyMem_Malloc(i64)
declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)
declare ptr @PyObject_CallObject(ptr, ptr)
declare i32 @PyObject_GetBuffer(ptr, ptr, i32)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare i64 @PyTuple_Size(ptr)
declare void @Py_DecRef(ptr)
declare void @Py_IncRef(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; The buffer of what is an array, no kind of one, of numbers of a kind; where another object says what kind they are, with
; a letter, which NumPy writes anew for each buffer.
define internal i1 @opened(ptr %object, ptr %array, ptr %usual, i8 %wanted, ptr %buffer, i32 %how) {
entry:
  %type.at = getelementptr i8, ptr %object, i64 8
  %type = load ptr, ptr %type.at
  %plain = icmp eq ptr %type, %array
  br i1 %plain, label %ask, label %no
ask:
  %kind.at = getelementptr i8, ptr %object, i64 KIND
  %kind = load ptr, ptr %kind.at
  %known = icmp eq ptr %kind, %usual
  %unlettered = and i32 %how, -5
  %asked = select i1 %known, i32 %unlettered, i32 %how
  %answer = call i32 @PyObject_GetBuffer(ptr %object, ptr %buffer, i32 %asked)
  %given = icmp eq i32 %answer, 0
  br i1 %given, label %look, label %refused
refused:
  call void @PyErr_Clear()
  br label %no
look:
  br i1 %known, label %yes, label %read
read:
  %format.at = getelementptr %Buffer, ptr %buffer, i32 0, i32 6
  %format = load ptr, ptr %format.at
  %told = icmp ne ptr %format, null
  br i1 %told, label %first, label %close
first:
  %letter = load i8, ptr %format
  %right = icmp eq i8 %letter, %wanted
  br i1 %right, label %second, label %close
second:
  %end.at = getelementptr i8, ptr %format, i64 1
  %end = load i8, ptr %end.at
  %alone = icmp eq i8 %end, 0
  br i1 %alone, label %yes, label %close
close:
  call void @PyBuffer_Release(ptr %buffer)
  br label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; Where the rows of an argument start and how far they are apart: one for all samples, or one for each. Numbers stand where
; words of their size do.
define internal i1 @rows(ptr %buffer, i64 %size, i64 %bytes, i32 %most, i64 %samples, ptr %slot) {
entry:
  %axes.at = getelementptr %Buffer, ptr %buffer, i32 0, i32 5
  %axes = load i32, ptr %axes.at
  %shape.at = getelementptr %Buffer, ptr %buffer, i32 0, i32 7
  %shape = load ptr, ptr %shape.at
  %strides.at = getelementptr %Buffer, ptr %buffer, i32 0, i32 8
  %strides = load ptr, ptr %strides.at
  switch i32 %axes, label %no [ i32 1, label %last
                                i32 2, label %several ]
several:
  %allowed = icmp eq i32 %most, 2
  %count = load i64, ptr %shape
  %equal = icmp eq i64 %count, %samples
  %each = and i1 %allowed, %equal
  %distance = load i64, ptr %strides
  br i1 %each, label %last, label %no
last:
  %step = phi i64 [ 0, %entry ], [ %distance, %several ]
  %axis = phi i64 [ 0, %entry ], [ 1, %several ]
  %length.at = getelementptr i64, ptr %shape, i64 %axis
  %length = load i64, ptr %length.at
  %full = icmp eq i64 %length, %size
  %gap.at = getelementptr i64, ptr %strides, i64 %axis
  %gap = load i64, ptr %gap.at
  %dense = icmp eq i64 %gap, %bytes
  %single = icmp eq i64 %size, 1
  %joined = or i1 %dense, %single
  %address = load i64, ptr %buffer
  %within = sub i64 %bytes, 1
  %places = or i64 %address, %step
  %beside = and i64 %places, %within
  %aligned = icmp eq i64 %beside, 0
  %fits = and i1 %full, %joined
  %good = and i1 %fits, %aligned
  br i1 %good, label %yes, label %no
yes:
  store i64 %address, ptr %slot
  %step.at = getelementptr i64, ptr %slot, i64 1
  store i64 %step, ptr %step.at
  ret i1 true
no:
  ret i1 false
}

; Whether an array has the axis of the batch, if there is one, and those of a result.
define internal i1 @shaped(ptr %buffer, ptr %table, i32 %most, i64 %samples) {
entry:
  %own.at = getelementptr i64, ptr %table, i64 8
  %own = load i64, ptr %own.at
  %own.shape = getelementptr i64, ptr %table, i64 14
  %most.wide = zext i32 %most to i64
  %lead = sub i64 %most.wide, 1
  %wanted = add i64 %lead, %own
  %axes.at = getelementptr %Buffer, ptr %buffer, i32 0, i32 5
  %axes = load i32, ptr %axes.at
  %axes.wide = sext i32 %axes to i64
  %shape.at = getelementptr %Buffer, ptr %buffer, i32 0, i32 7
  %shape = load ptr, ptr %shape.at
  %equal = icmp eq i64 %axes.wide, %wanted
  br i1 %equal, label %batch, label %no
batch:
  %alone = icmp eq i64 %lead, 0
  br i1 %alone, label %loop, label %first
first:
  %count = load i64, ptr %shape
  %each = icmp eq i64 %count, %samples
  br i1 %each, label %loop, label %no
loop:
  %i = phi i64 [ 0, %batch ], [ 0, %first ], [ %next, %one ]
  %done = icmp eq i64 %i, %own
  br i1 %done, label %yes, label %one
one:
  %place = add i64 %lead, %i
  %length.at = getelementptr i64, ptr %shape, i64 %place
  %length = load i64, ptr %length.at
  %wanted.at = getelementptr i64, ptr %own.shape, i64 %i
  %wanted.length = load i64, ptr %wanted.at
  %fits = icmp eq i64 %length, %wanted.length
  %next = add i64 %i, 1
  br i1 %fits, label %loop, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; A new array for the result; null if there is no memory for it.
define internal ptr @new(ptr %table, i32 %most, i64 %samples) {
entry:
  %empty.at = getelementptr ptr, ptr %table, i64 4
  %empty = load ptr, ptr %empty.at
  %kind.at = getelementptr ptr, ptr %table, i64 12
  %kind = load ptr, ptr %kind.at
  %own.at = getelementptr i64, ptr %table, i64 8
  %own = load i64, ptr %own.at
  %own.shape = getelementptr i64, ptr %table, i64 14
  %most.wide = zext i32 %most to i64
  %lead = sub i64 %most.wide, 1
  %axes = add i64 %lead, %own
  %shape = call ptr @PyTuple_New(i64 %axes)
  %made = icmp ne ptr %shape, null
  br i1 %made, label %loop, label %refused
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %put ]
  %done = icmp eq i64 %i, %axes
  br i1 %done, label %ask, label %one
one:
  %place = sub i64 %i, %lead
  %outer = icmp slt i64 %place, 0
  %inner = select i1 %outer, i64 0, i64 %place
  %length.at = getelementptr i64, ptr %own.shape, i64 %inner
  %length = load i64, ptr %length.at
  %number = select i1 %outer, i64 %samples, i64 %length
  %object = call ptr @PyLong_FromSsize_t(i64 %number)
  %there = icmp ne ptr %object, null
  br i1 %there, label %put, label %drop
put:
  %ignored = call i32 @PyTuple_SetItem(ptr %shape, i64 %i, ptr %object)
  %next = add i64 %i, 1
  br label %loop
ask:
  %array = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %empty, ptr %shape, ptr %kind, ptr null)
  call void @Py_DecRef(ptr %shape)
  %given = icmp ne ptr %array, null
  br i1 %given, label %yes, label %refused
drop:
  call void @Py_DecRef(ptr %shape)
  br label %refused
refused:
  call void @PyErr_Clear()
  ret ptr null
yes:
  ret ptr %array
}

; The kernel, in a long batch without the lock of the interpreter.
define internal i1 @run(ptr %kernel, i64 %samples, i64 %quiet, ptr %addresses) {
entry:
  %last = sub i64 %samples, 1
  %long = icmp sgt i64 %samples, %quiet
  br i1 %long, label %aside, label %here
here:
  %soon = call i64 %kernel(i64 0, i64 %samples, i64 %last, ptr %addresses)
  br label %ran
aside:
  %state = call ptr @PyEval_SaveThread()
  %late = call i64 %kernel(i64 0, i64 %samples, i64 %last, ptr %addresses)
  call void @PyEval_RestoreThread(ptr %state)
  br label %ran
ran:
  %whole = phi i64 [ %soon, %here ], [ %late, %aside ]
  %good = icmp ne i64 %whole, 0
  ret i1 %good
}

; The arguments in the order of the table, from their names; the last, of the result, is null if it is not there.
define internal i1 @named(ptr %table, i64 %arrays, ptr %values, i64 %unnamed, ptr %names, ptr %slots) {
entry:
  %pairs = getelementptr i64, ptr %table, i64 17
  call void @llvm.memset.p0.i64(ptr %slots, i8 0, i64 136, i1 false)
  %plain = icmp eq i64 %unnamed, 0
  %some = icmp ne ptr %names, null
  %possible = and i1 %plain, %some
  br i1 %possible, label %count, label %no
count:
  %given = call i64 @PyTuple_Size(ptr %names)
  br label %loop
loop:
  %i = phi i64 [ 0, %count ], [ %next, %found ]
  %done = icmp eq i64 %i, %given
  br i1 %done, label %check, label %look
look:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 %i)
  br label %search
search:
  %place = phi i64 [ 0, %look ], [ %after, %other ]
  %double = shl i64 %place, 1
  %known.at = getelementptr ptr, ptr %pairs, i64 %double
  %known = load ptr, ptr %known.at
  %same = icmp eq ptr %known, %name
  br i1 %same, label %found, label %other
other:
  %after = add i64 %place, 1
  %more = icmp ule i64 %after, %arrays
  br i1 %more, label %search, label %no
found:
  %value.at = getelementptr ptr, ptr %values, i64 %i
  %value = load ptr, ptr %value.at
  %slot = getelementptr ptr, ptr %slots, i64 %place
  store ptr %value, ptr %slot
  %next = add i64 %i, 1
  br label %loop
check:
  %k = phi i64 [ 0, %loop ], [ %up, %there ]
  %all = icmp eq i64 %k, %arrays
  br i1 %all, label %yes, label %one
one:
  %is.at = getelementptr ptr, ptr %slots, i64 %k
  %is = load ptr, ptr %is.at
  %missing = icmp eq ptr %is, null
  br i1 %missing, label %no, label %there
there:
  %up = add i64 %k, 1
  br label %check
yes:
  ret i1 true
no:
  ret i1 false
}

; Of q, the inputs and the array for the result, by name; null where the call has to go another way. Results that may
; not be trusted are written nowhere.
define internal ptr @attempt(ptr %table, ptr %values, i64 %unnamed, ptr %names) {
entry:
  %buffers = alloca [17 x %Buffer], align 16
  %addresses = alloca [34 x i64], align 16
  %room = alloca [4096 x i8], align 16
  %slots = alloca [17 x ptr], align 16
  %kernel = load ptr, ptr %table
  %quiet.at = getelementptr i64, ptr %table, i64 1
  %quiet = load i64, ptr %quiet.at
  %none.at = getelementptr ptr, ptr %table, i64 2
  %none = load ptr, ptr %none.at
  %array.at = getelementptr ptr, ptr %table, i64 3
  %array = load ptr, ptr %array.at
  %most.at = getelementptr i64, ptr %table, i64 6
  %most = load i64, ptr %most.at
  %arrays.at = getelementptr i64, ptr %table, i64 7
  %arrays = load i64, ptr %arrays.at
  %bytes.at = getelementptr i64, ptr %table, i64 9
  %bytes = load i64, ptr %bytes.at
  %letter.at = getelementptr i64, ptr %table, i64 10
  %letter = load i8, ptr %letter.at
  %width.at = getelementptr i64, ptr %table, i64 11
  %width = load i64, ptr %width.at
  %usual.at = getelementptr ptr, ptr %table, i64 13
  %usual = load ptr, ptr %usual.at
  %pairs = getelementptr i64, ptr %table, i64 17
  %complete = call i1 @named(ptr %table, i64 %arrays, ptr %values, i64 %unnamed, ptr %names, ptr %slots)
  br i1 %complete, label %first, label %away
first:
  %q = load ptr, ptr %slots
  %out.at = getelementptr ptr, ptr %slots, i64 %arrays
  %last.given = load ptr, ptr %out.at
  %left.out = icmp eq ptr %last.given, null
  %out = select i1 %left.out, ptr %none, ptr %last.given
  %q.open = call i1 @opened(ptr %q, ptr %array, ptr %usual, i8 %letter, ptr %buffers, i32 28)
  br i1 %q.open, label %axes, label %away
axes:
  %axes.at = getelementptr %Buffer, ptr %buffers, i32 0, i32 5
  %axes.of.q = load i32, ptr %axes.at
  %shape.at = getelementptr %Buffer, ptr %buffers, i32 0, i32 7
  %shape = load ptr, ptr %shape.at
  switch i32 %axes.of.q, label %close [ i32 1, label %counted
                                        i32 2, label %several ]
several:
  %rows.of.q = load i64, ptr %shape
  br label %counted
counted:
  %samples = phi i64 [ 1, %axes ], [ %rows.of.q, %several ]
  %some = icmp sgt i64 %samples, 0
  %few = icmp sle i64 %samples, %most
  %possible = and i1 %some, %few
  %q.size.at = getelementptr i64, ptr %pairs, i64 1
  %q.size = load i64, ptr %q.size.at
  %q.fits = call i1 @rows(ptr %buffers, i64 %q.size, i64 %width, i32 %axes.of.q, i64 %samples, ptr %addresses)
  %begun = and i1 %possible, %q.fits
  br i1 %begun, label %loop, label %close
loop:
  %i = phi i64 [ 1, %counted ], [ %after, %fit ]
  %done = icmp eq i64 %i, %arrays
  br i1 %done, label %result, label %input
input:
  %double = shl i64 %i, 1
  %pair = getelementptr i64, ptr %pairs, i64 %double
  %value.at = getelementptr ptr, ptr %slots, i64 %i
  %value = load ptr, ptr %value.at
  %buffer = getelementptr %Buffer, ptr %buffers, i64 %i
  %is.open = call i1 @opened(ptr %value, ptr %array, ptr %usual, i8 %letter, ptr %buffer, i32 28)
  br i1 %is.open, label %fit, label %close
fit:
  %after = add i64 %i, 1
  %size.at = getelementptr i64, ptr %pair, i64 1
  %size = load i64, ptr %size.at
  %slot = getelementptr i64, ptr %addresses, i64 %double
  %fits = call i1 @rows(ptr %buffer, i64 %size, i64 %width, i32 %axes.of.q, i64 %samples, ptr %slot)
  br i1 %fits, label %loop, label %close
result:
  %fresh = icmp eq ptr %out, %none
  br i1 %fresh, label %make, label %take
make:
  %made = call ptr @new(ptr %table, i32 %axes.of.q, i64 %samples)
  %is.made = icmp ne ptr %made, null
  br i1 %is.made, label %take, label %close
take:
  %given = phi ptr [ %out, %result ], [ %made, %make ]
  %last = getelementptr %Buffer, ptr %buffers, i64 %arrays
  %given.open = call i1 @opened(ptr %given, ptr %array, ptr %usual, i8 %letter, ptr %last, i32 61)
  br i1 %given.open, label %look, label %drop
look:
  %all = add i64 %arrays, 1
  %given.fits = call i1 @shaped(ptr %last, ptr %table, i32 %axes.of.q, i64 %samples)
  br i1 %given.fits, label %memory, label %drop
memory:
  %written = mul i64 %samples, %bytes
  %staged = select i1 %fresh, i64 0, i64 %written
  %flagged = add i64 %samples, BEHIND
  %needed = add i64 %staged, %flagged
  %little = icmp ule i64 %needed, 4096
  br i1 %little, label %ready, label %more
more:
  %taken = call ptr @PyMem_Malloc(i64 %needed)
  %is.taken = icmp ne ptr %taken, null
  br i1 %is.taken, label %ready, label %drop
ready:
  %stage = phi ptr [ %room, %memory ], [ %taken, %more ]
  %final = load ptr, ptr %last
  %goal = select i1 %fresh, ptr %final, ptr %stage
  %flags = getelementptr i8, ptr %stage, i64 %staged
  %end = shl i64 %arrays, 1
  %goal.at = getelementptr ptr, ptr %addresses, i64 %end
  store ptr %goal, ptr %goal.at
  %flags.at = getelementptr ptr, ptr %goal.at, i64 1
  store ptr %flags, ptr %flags.at
  %good = call i1 @run(ptr %kernel, i64 %samples, i64 %quiet, ptr %addresses)
  %used = icmp ne i64 %staged, 0
  %moved = and i1 %good, %used
  br i1 %moved, label %copy, label %give.back
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %final, ptr %stage, i64 %staged, i1 false)
  br label %give.back
give.back:
  br i1 %little, label %told, label %free
free:
  call void @PyMem_Free(ptr %stage)
  br label %told
told:
  br i1 %good, label %keep, label %drop
keep:
  br i1 %fresh, label %close, label %hand.out
hand.out:
  call void @Py_IncRef(ptr %given)
  br label %close
drop:
  %so.far = phi i64 [ %arrays, %take ], [ %all, %look ], [ %all, %more ], [ %all, %told ]
  br i1 %fresh, label %forget, label %close
forget:
  call void @Py_DecRef(ptr %given)
  br label %close
close:
  %answer = phi ptr [ null, %axes ], [ null, %counted ], [ null, %input ], [ null, %fit ],
                    [ null, %make ], [ null, %drop ], [ null, %forget ], [ %given, %keep ], [ %given, %hand.out ]
  %opened = phi i64 [ 1, %axes ], [ 1, %counted ], [ %i, %input ], [ %after, %fit ],
                    [ %arrays, %make ], [ %so.far, %drop ], [ %so.far, %forget ], [ %all, %keep ], [ %all, %hand.out ]
  br label %release
release:
  %left = phi i64 [ %opened, %close ], [ %fewer, %release ]
  %fewer = sub i64 %left, 1
  %released = getelementptr %Buffer, ptr %buffers, i64 %fewer
  call void @PyBuffer_Release(ptr %released)
  %closed = icmp eq i64 %fewer, 0
  br i1 %closed, label %back, label %release
back:
  %answered = icmp ne ptr %answer, null
  br i1 %answered, label %whole, label %away
whole:
  ret ptr %answer
away:
  ret ptr null
}

; As the call of an object, in which the table stands behind the address of this function. What it may not answer is
; asked of another function with the same arguments.
define ptr @door(ptr %object, ptr %values, i64 %count, ptr %names) {
entry:
  %self.at = getelementptr i8, ptr %object, i64 24
  %self = load ptr, ptr %self.at
  call void @Py_IncRef(ptr %self)
  %table = call ptr @PyBytes_AsString(ptr %self)
  %unnamed = and i64 %count, 9223372036854775807
  %answer = call ptr @attempt(ptr %table, ptr %values, i64 %unnamed, ptr %names)
  %answered = icmp ne ptr %answer, null
  br i1 %answered, label %done, label %ask
ask:
  %other.at = getelementptr ptr, ptr %table, i64 5
  %other = load ptr, ptr %other.at
  %second = call ptr @PyObject_Vectorcall(ptr %other, ptr %values, i64 %count, ptr %names)
  br label %done
done:
  %result = phi ptr [ %answer, %entry ], [ %second, %ask ]
  call void @Py_DecRef(ptr %self)
  ret ptr %result
}

; Of arrays whose addresses are known.
define ptr @bound(ptr %self, ptr %ignored) {
entry:
  %table = call ptr @PyBytes_AsString(ptr %self)
  %kernel = load ptr, ptr %table
  %quiet.at = getelementptr i64, ptr %table, i64 1
  %quiet = load i64, ptr %quiet.at
  %none.at = getelementptr ptr, ptr %table, i64 2
  %none = load ptr, ptr %none.at
  %other.at = getelementptr ptr, ptr %table, i64 3
  %other = load ptr, ptr %other.at
  %samples.at = getelementptr i64, ptr %table, i64 4
  %samples = load i64, ptr %samples.at
  %out.at = getelementptr ptr, ptr %table, i64 5
  %out = load ptr, ptr %out.at
  %stage.at = getelementptr ptr, ptr %table, i64 6
  %stage = load ptr, ptr %stage.at
  %bytes.at = getelementptr i64, ptr %table, i64 7
  %bytes = load i64, ptr %bytes.at
  %addresses = getelementptr i64, ptr %table, i64 8
  %good = call i1 @run(ptr %kernel, i64 %samples, i64 %quiet, ptr %addresses)
  br i1 %good, label %copy, label %call
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %stage, i64 %bytes, i1 false)
  br label %done
call:
  %answer = call ptr @PyObject_CallObject(ptr %other, ptr null)
  %failed = icmp eq ptr %answer, null
  br i1 %failed, label %error, label %drop
drop:
  call void @Py_DecRef(ptr %answer)
  br label %done
done:
  call void @Py_IncRef(ptr %none)
  ret ptr %none
error:
  ret ptr null
}
